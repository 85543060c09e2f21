//! Advice that works: each message that says what to do is followed, and then the call succeeds.

use crate::common::Place;

/// A program on data that is refused with some advice, and what follows it.
struct Case {
    program: &'static str,
    data: &'static str,
    flags: &'static str,
    /// What the message says.
    says: &'static str,
    /// The program, the data and the flags of someone who does so; the same where they're empty.
    then: (&'static str, &'static str, &'static str),
}

const REALS: &str = "x\n0.5e0\n0.25e0\n0.75e0\n";

const CASES: [Case; 29] = [
    Case {
        program: "y = agee + 1",
        data: "age\n3\n4\n",
        flags: "",
        says: "did you mean \"age\"?",
        then: ("y = age + 1", "", ""),
    },
    Case {
        program: "y = averag(x)",
        data: "x\n1\n2\n",
        flags: "",
        says: "did you mean `mean`?",
        then: ("y = mean(x)", "", ""),
    },
    Case {
        program: "y = exp(x)",
        data: REALS,
        flags: "--precision-bits 50",
        says: "--precision-bits 3",
        then: ("", "", "told"),
    },
    Case {
        program: "y = exp(x)",
        data: REALS,
        flags: "--precision abs=1e-14",
        says: "--precision abs=",
        then: ("", "", "told"),
    },
    Case {
        program: "y = log(x)",
        data: "x\n0\n3\n",
        flags: "",
        says: "add an offset",
        then: ("y = log(x + 1)", "", ""),
    },
    Case {
        program: "y = log(x)",
        data: REALS,
        flags: "--range x=-1:1",
        says: "narrow the ranges with --range name=lo:hi",
        then: ("", "", "--range x=0.2:1"),
    },
    Case {
        program: "y = 1 / x",
        data: "x\n0.5\n0.25\n",
        flags: "--range x=0:1",
        says: "--range name=lo:hi",
        then: ("", "", "--range x=0.001:1"),
    },
    Case {
        program: "y = round(x)",
        data: "x\n8.6e0\n7.25\n",
        flags: "--range x=0:1000",
        says: "assume(x, lo, hi)",
        then: ("y = round(assume(x, 7, 9))", "", ""),
    },
    Case {
        program: "y = round(x)",
        data: "x\n8.6e0\n7.25\n",
        flags: "--range x=0:1000",
        says: "narrow the ranges",
        then: ("", "", "--range x=7:9"),
    },
    Case {
        program: "y = quantile(x, 0.5)",
        data: "x\n1.25e0\n3.1\n2\n",
        flags: "",
        says: "round(x), or round(100 * x)",
        then: ("y = quantile(round(x), 0.5)", "", ""),
    },
    Case {
        program: "y = x == z",
        data: "x,z\n1.5e0,2\n3,1\n",
        flags: "",
        says: "`abs(x - y) < gap`",
        then: ("y = abs(x - z) < 0.01", "", "--precision-bits 16"),
    },
    Case {
        program: "y = x // 2",
        data: "x\n1.5e0\n3\n",
        flags: "",
        says: "round(x)",
        then: ("y = round(x) // 2", "", ""),
    },
    Case {
        program: "s = sum(p)",
        data: "p\n\"1,20\"\n\"3,5\"\n",
        flags: "",
        says: "--decimal-comma",
        then: ("", "", "--decimal-comma"),
    },
    Case {
        program: "s = sum(p)",
        data: "p\n\"1,20\"\n\"3,5\"\n",
        flags: "",
        says: "or write a point",
        then: ("", "p\n1.20\n3.5\n", ""),
    },
    Case {
        program: "s = sum(p)",
        data: "p\n1.20\n3.5\n",
        flags: "--decimal-comma",
        says: "leave --decimal-comma out",
        then: ("", "", "-"),
    },
    Case {
        program: "s = sum(p)",
        data: "p;q\n1.299,5;1\n7;2\n",
        flags: "",
        says: "--decimal-comma --thousands",
        then: ("", "", "--decimal-comma --thousands"),
    },
    Case {
        program: "s = sum(p)",
        data: "p\n\"1,299.5\"\n7\n",
        flags: "",
        says: "--thousands",
        then: ("", "", "--thousands"),
    },
    Case {
        program: "s = sum(p)",
        data: "p\n5%\n7%\n",
        flags: "",
        says: "write the number that's meant, as 0.05 for 5%",
        then: ("", "p\n0.05\n0.07\n", ""),
    },
    Case {
        program: "y = d + 1",
        data: "d\n25.11.2026\n1.1.2026\n",
        flags: "",
        says: "as 2026-11-25",
        then: ("", "d\n2026-11-25\n2026-11-01\n", ""),
    },
    Case {
        program: "s = sum(p)",
        data: "p,q\n1,2,\n3,4,\n",
        flags: "",
        says: "remove the last separator",
        then: ("", "p,q\n1,2\n3,4\n", ""),
    },
    Case {
        program: "s = sum(p)",
        data: "p,q\n1,2,\n3,4,\n",
        flags: "",
        says: "end the first line with one too",
        then: ("", "p,q,\n1,2,\n3,4,\n", ""),
    },
    Case {
        program: "s = sum(p)",
        data: "p\n1\n\n3\n",
        flags: "",
        says: "--missing mask",
        then: ("", "", "--missing mask"),
    },
    Case {
        program: "s = sum(p)",
        data: "p\n1\n\n3\n",
        flags: "",
        says: "--missing mean or zero",
        then: ("", "", "--missing mean"),
    },
    Case {
        program: "c = count(t == 'a')",
        data: "t\na\nNA\n",
        flags: "",
        says: "in quotes",
        then: ("", "t\na\n\"NA\"\n", ""),
    },
    Case {
        program: "y = p // q",
        data: "p,q\n7,2\n5,0\n",
        flags: "",
        says: "--on-zero value",
        then: ("", "", "--on-zero value"),
    },
    Case {
        program: "y = p // q",
        data: "p,q\n7,2\n5,0\n",
        flags: "",
        says: "leave the row out",
        then: ("", "p,q\n7,2\n", ""),
    },
    Case {
        program: "y = -x ^ 2",
        data: "x\n1\n2\n",
        flags: "",
        says: "write `-(x ** 2)`",
        then: ("y = -(x ** 2)", "", ""),
    },
    Case {
        program: "y = t + 1",
        data: "t\na\nb\n",
        flags: "",
        says: "`t == '…'`",
        then: ("y = (t == 'a') + 1", "", ""),
    },
    Case {
        program: "y = linear(@w)",
        data: "p\n1\n2\n",
        flags: "",
        says: "--weights w=FILE",
        then: ("", "", "--weights w=w.csv"),
    },
];

#[test]
fn advice_helps_who_follows_it() {
    for Case { program, data, flags, says, then: (other_program, other_data, other_flags) } in CASES {
        let place = Place::new();
        place.write("w.csv", "p,intercept\n2,1\n");
        place.write("p.asa", program);
        place.write("d.csv", data);
        // What planning refuses isn't run.
        let planned = place.call(&format!("plan p.asa --data d.csv {flags}")).output();
        let call = if planned.status.success() { "run" } else { "plan" };
        let output = place.call(&format!("{call} p.asa --data d.csv {flags}")).output();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && told.contains(says), "{program} {flags}: {told}");
        for (name, other) in [("p.asa", other_program), ("d.csv", other_data)] {
            if !other.is_empty() {
                place.write(name, other);
            }
        }
        // The flag with the figure that the message has.
        let figure = || {
            let flag = told.split_once(says.trim_end_matches(|c: char| c.is_ascii_digit())).unwrap().1;
            let value = flag.trim_start().split([',', ' ', '\n']).next().unwrap();
            let name = says.trim_end_matches(|c: char| c.is_ascii_digit());
            format!("{name}{value}")
        };
        let flags = match other_flags {
            "told" => figure(),
            "" => flags.to_owned(),
            "-" => String::new(),
            other => other.to_owned(),
        };
        let output = place.call(&format!("{call} p.asa --data d.csv {flags}")).output();
        let after = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{program}: {told}, and then, with {flags}: {after}");
    }
}
