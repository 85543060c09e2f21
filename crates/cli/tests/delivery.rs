//! Files get into their place whole, for the eyes that they're meant for, or not at all.
#![cfg(unix)]

use std::{
    fs::{File, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
};

use crate::common::{Place, paused::Paused};
use asanoha::lattice::FileReader;

fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = 2 * x");
    place.write("d.csv", "x\n1\n2\n");
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place
}

/// Calls the program under a mask of permissions.
fn under(place: &Place, mask: &str, line: &str) {
    let script = format!("umask {mask} && exec {} {line}", env!("CARGO_BIN_EXE_asanoha"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.path("")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn new_files_follow_the_mask_and_replaced_ones_keep_their_permissions() {
    let place = place();
    for (mask, expected) in [("077", 0o600), ("027", 0o640), ("002", 0o664)] {
        under(&place, mask, "plan p.asa --data d.csv --out new.json");
        under(&place, mask, "keygen --no-passphrase --plan plan.json --out keys --force");
        under(&place, mask, "run p.asa --data d.csv --out new.csv");
        under(&place, mask, "encrypt --plan plan.json --keys keys --data d.csv --out new");
        for name in ["new.json", "new.csv", "new", "keys/public.safetensors"] {
            assert_eq!(mode(&place.path(name)), expected, "{name} under {mask}");
            std::fs::remove_file(place.path(name)).unwrap();
        }
        assert_eq!(mode(&place.path("keys/secret.safetensors")), 0o600);
    }
    for kept in [0o600, 0o640, 0o400] {
        for name in ["o.csv", "kept.json"] {
            place.write(name, "old");
            std::fs::set_permissions(place.path(name), Permissions::from_mode(kept)).unwrap();
        }
        under(&place, "022", "run p.asa --data d.csv --out o.csv");
        under(&place, "022", "plan p.asa --data d.csv --out kept.json");
        for name in ["o.csv", "kept.json"] {
            assert_ne!(std::fs::read(place.path(name)).unwrap(), b"old");
            assert_eq!(mode(&place.path(name)), kept);
            std::fs::remove_file(place.path(name)).unwrap();
        }
    }
}

#[test]
fn one_keygen_at_a_time_puts_keys_into_a_folder_and_removes_what_killed_ones_left() {
    let place = place();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let leftover = place.path("keys/.asanoha-unfinished-left");
    std::fs::create_dir(&leftover).unwrap();
    std::fs::write(leftover.join("secret.safetensors"), "secret").unwrap();
    let other = File::open(place.path("keys")).unwrap();
    other.lock().unwrap();
    place.refuses(
        "keygen --no-passphrase --plan plan.json --out keys --force",
        2,
        &["keys: another call", "wait"],
    );
    drop(other);
    place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
    // Three keys and the record of what was published.
    assert_eq!(std::fs::read_dir(place.path("keys")).unwrap().count(), 4);
}

#[test]
fn a_keygen_that_is_killed_leaves_whole_files_of_one_generation_or_keys_that_are_refused() {
    let place = place();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    for point in [
        "making keys",
        "written secret.safetensors",
        "written evaluation.safetensors",
        "moving secret.safetensors",
        "moving public.safetensors",
        "moving evaluation.safetensors",
        "delivered keys",
    ] {
        Paused::at(point, &place, "keygen --no-passphrase --plan plan.json --out keys --force").killed();
        for name in ["secret", "public", "evaluation"] {
            let path = place.path(&format!("keys/{name}.safetensors"));
            let header = FileReader::summary(&path).unwrap().header;
            FileReader::read(&path, &header.kind, &header.params).unwrap();
        }
        let line = "encrypt --plan plan.json --keys keys --data d.csv --out in";
        let output = place.call(line).output();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() || told.contains("key generation"), "{told}");
    }
    place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
    // Three keys and the record of what was published.
    assert_eq!(std::fs::read_dir(place.path("keys")).unwrap().count(), 4);
}

#[test]
fn a_backup_that_is_killed_before_it_is_in_its_place_leaves_no_readable_key() {
    let place = place();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.write("kept", "of yesterday");
    let before = place.contents();
    for point in ["written kept", "moving kept"] {
        Paused::at(point, &place, "keys backup --keys keys --out kept --no-passphrase").killed();
        assert!(place.contents() == before, "{point}");
    }
}
