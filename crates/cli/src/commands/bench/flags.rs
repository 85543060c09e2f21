//! The flags of `bench`, most of which only some benches have.

use asanoha::{bench::DramScheme, kernels::Backend};

use crate::{
    args::{BenchArgs, BenchName, VectorSchemeName},
    error::Failure,
    session::Session,
};

/// Refuses flags that the bench doesn't have.
pub(super) fn check_flags(args: &BenchArgs) -> Result<(), Failure> {
    use BenchName::{
        All, Bootstrap, Division, Dot, Dram, Genome, LargeModuli, Product, Report, Schemes, Tables, Tfhe,
        Triples,
    };

    let flags: [(bool, &[BenchName], &str); 15] = [
        (args.svg.is_some(), &[LargeModuli], "--svg: only large-moduli has figures to draw"),
        (args.chain.is_some(), &[LargeModuli], "--chain: only large-moduli has chains"),
        (!args.bits.is_empty(), &[Division], "--bits: only division has them"),
        (args.peer.is_some(), &[Division, Tfhe], "--peer: only division and tfhe have one"),
        (args.memory_limit.is_some(), &[Dram, Tfhe], "--memory-limit: only tfhe and dram have one"),
        (args.confined.is_some(), &[Dram], "--confined: only dram is confined"),
        (!args.table.is_empty(), &[Tables], "--table: only tables has them"),
        (args.limit, &[Schemes], "--limit: only schemes have one"),
        (args.ring_degree.is_some(), &[Schemes], "--ring-degree: only schemes take one"),
        (args.alone.is_some(), &[Tables], "--alone: only tables are measured alone"),
        (
            args.scheme.is_some(),
            &[Product, Dot, Dram],
            "--scheme: only product, dot and dram are measured by several",
        ),
        (!args.dim.is_empty(), &[Triples], "--dim: only triples have dimensions"),
        (args.folder.is_some(), &[All, Report], "DIR: only all and report have a folder"),
        (args.run, &[Report], "--run: only report has it; all measures anyway"),
        (!args.set.is_empty(), &[Bootstrap], "--set: only bootstrap has parameter sets"),
    ];
    if let Some((.., message)) = flags.iter().find(|(given, of, _)| *given && !of.contains(&args.name)) {
        return Err(Failure::bad_input((*message).to_owned()));
    }
    let measures = args.name != BenchName::List && (args.name != Report || args.run);
    if !measures && (args.quick || args.kernels.is_some()) {
        let message = "--quick, --kernels: list measures nothing, and report only with --run";
        return Err(Failure::bad_input(message.to_owned()));
    }
    if args.kernels.is_some() && args.name == Genome {
        let message = "--kernels: a search takes the process's; set ASANOHA_KERNELS instead";
        return Err(Failure::bad_input(message.to_owned()));
    }
    Ok(())
}

/// The kernels to measure.
pub(super) fn backends(session: &Session, name: Option<&str>) -> Result<Vec<Backend>, Failure> {
    let available = Backend::available();
    let Some(name) = name else {
        let forced = std::env::var_os("ASANOHA_KERNELS").is_some();
        return Ok(if forced { vec![session.backend] } else { available });
    };
    let Some(&backend) = available.iter().find(|backend| backend.name() == name) else {
        let names: Vec<&str> = available.into_iter().map(Backend::name).collect();
        let names = names.join(", ");
        return Err(Failure::bad_input(format!(
            "--kernels {name}: this processor has {names}; choose one of them"
        )));
    };
    Ok(vec![backend])
}

/// The scheme that `dram` bootstraps.
pub(super) fn dram_scheme(name: VectorSchemeName) -> Result<DramScheme, Failure> {
    match name {
        VectorSchemeName::Tfhe => Ok(DramScheme::Tfhe),
        VectorSchemeName::Ckks => Ok(DramScheme::Ckks),
        VectorSchemeName::Fixed => {
            Err(Failure::bad_input("--scheme fixed: dram measures tfhe and ckks".to_owned()))
        }
    }
}
