"""Files of variants."""


def vcf(letters, names):
    """A file of variants of haplotypes' letters, one row each."""
    lines = ["##fileformat=VCFv4.3", "##contig=<ID=20>", '##FORMAT=<ID=GT,Number=1,Type=String,Description="">']
    lines.append("\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *names]))
    for site, column in enumerate(letters.T):
        pairs = [f"{int(first)}|{int(second)}" for first, second in column.reshape(-1, 2)]
        lines.append("\t".join(["20", str(1000 + 7 * site), ".", "A", "C", ".", "PASS", ".", "GT", *pairs]))
    return "\n".join(lines) + "\n"
