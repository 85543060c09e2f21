#!/usr/bin/env python3
"""Simulates a panel of phased haplotypes as VCF on the standard output.

    pip install msprime==1.4.4
    python3 examples/genome/panel.py > panel.vcf                              # 1,092 diploids, 10,000 sites
    python3 examples/genome/panel.py --diploids 20 --sites 64 > small.vcf    # examples/genome/small.vcf

The sample has the size of phase 1 of the 1000 Genomes Project. Haplotypes follow the coalescent with recombination in a
population of 10,000 diploids, at 1e-8 recombinations and 1.25e-8 mutations a base pair and generation. The same seed and
version give the same panel.
"""

import argparse

import msprime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--diploids", type=int, default=1092)
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20140501)
    options = parser.parse_args()

    # About 4·10,000·1.25e-8 sites a base pair times the harmonic number of the haplotypes: a margin of one half.
    harmonic = sum(1 / k for k in range(1, 2 * options.diploids))
    length = 1.5 * options.sites / (4 * 10_000 * 1.25e-8 * harmonic) + 10_000
    trees = msprime.sim_ancestry(
        options.diploids,
        population_size=10_000,
        recombination_rate=1e-8,
        sequence_length=int(length),
        random_seed=options.seed,
    )
    model = msprime.BinaryMutationModel()
    trees = msprime.sim_mutations(trees, rate=1.25e-8, model=model, random_seed=options.seed)

    print("##fileformat=VCFv4.2")
    print(f"##contig=<ID=20,length={int(length)}>")
    print('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">')
    names = [f"sample{i}" for i in range(options.diploids)]
    print("\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *names]))
    written = 0
    for variant in trees.variants():
        alleles = variant.genotypes
        # A site can mutate twice, and back.
        if alleles.min() == alleles.max():
            continue
        pairs = [f"{a}|{b}" for a, b in zip(alleles[::2], alleles[1::2])]
        fields = ["20", str(int(variant.site.position) + 1), ".", "A", "G", ".", "PASS", ".", "GT", *pairs]
        print("\t".join(fields))
        written += 1
        if written == options.sites:
            return
    raise SystemExit(f"only {written} sites: ask for another seed")


if __name__ == "__main__":
    main()
