//! Programs as users of SQL, pandas, dplyr and spreadsheets write them first.

use asanoha_lang::{Program, RangeError, Values, evaluate_exact, evaluate_real, ranges, specialised};
use asanoha_table::{Schema, Table, parse_range_override, read_csv};
use num_rational::BigRational;

const PEOPLE: &str = "region,age,weight,height,paid,flag,visits
North,17,61.25,1.60,1000000007,1,0
east,65,80.50,1.75,-3,0,4
West,18,99.99,2.00,0,1,2
east,90,45.00,1.50,250,0,0
";

fn people(text: &str) -> (Program, Table) {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    // The printed text is read as the same program.
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program, "{text}");
    let table = read_csv(PEOPLE.as_bytes(), "people.csv", program.input_names()).unwrap();
    (program, table)
}

/// The values of all outputs, as written, and again after the program was planned for the data.
fn exact(text: &str) -> Vec<Vec<String>> {
    let (program, table) = people(text);
    let schema = Schema::from_table(&table, &[]).unwrap();
    let planned = specialised(&program, &schema, false).unwrap_or_else(|error| panic!("{text}: {error}"));
    let [found, again] = [&program, &planned].map(|program| {
        let outputs = evaluate_exact(program, &table).unwrap().unwrap_or_else(|| panic!("{text}: exact"));
        let text = |values: &Values<BigRational>| values.as_slice().iter().map(ToString::to_string).collect();
        outputs.iter().map(|(_, values)| text(values)).collect::<Vec<Vec<String>>>()
    });
    assert_eq!(found, again, "{text}");
    found
}

fn refused(text: &str) -> String {
    let error = Program::parse(text).unwrap_err();
    format!("{}: {}", error.message, error.help.unwrap_or_default())
}

/// The refusal of a program for the data's ranges.
fn refused_on_data(text: &str, declared: &[&str]) -> RangeError {
    let (program, table) = people(text);
    let declared: Vec<_> = declared.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(&table, &declared).unwrap();
    match specialised(&program, &schema, false) {
        Ok(program) => ranges(&program, &schema).unwrap_err(),
        Err(error) => error,
    }
}

#[test]
fn a_value_among_several_is_one_of_them() {
    assert_eq!(exact("a = age in [17, 90]"), [["1", "0", "0", "1"]]);
    assert_eq!(exact("a = age not in (17, 90)"), [["0", "1", "1", "0"]]);
    assert_eq!(exact("a = region in ['east', 'West']"), [["0", "1", "1", "1"]]);
    assert_eq!(exact("n = count(region not in ['east'] and age in [17, 18, 19])"), [["2"]]);
    assert_eq!(exact("a = not age in [17]"), [["0", "1", "1", "1"]]);
    assert_eq!(exact("a = weight in [80.5, 99.99]"), [["0", "1", "1", "0"]]);
    assert!(refused("a = age in []").starts_with("this list is empty"));
    assert!(refused("a = age in 17").contains("`in` takes a list, as in `x in [3, 5]`"));
}

#[test]
fn choices_and_comparisons_are_read_in_the_words_of_other_tools() {
    assert_eq!(exact("a = if(age < 18, 0, if(age < 65, 1, 2))"), [["0", "2", "1", "2"]]);
    assert_eq!(exact("a = age <> 18"), exact("a = age != 18"));
    assert_eq!(exact("a = pow(age, 2) - age ** 2 + age"), exact("a = age"));
    assert_eq!(exact("m = mean(paid, age > 64)"), exact("m = mean_where(paid, age > 64)"));
    assert!(refused("a = if(age > 18, 1)").contains("`where` takes 3 arguments, and here are 2"));
    for (text, advice) in [
        ("a = SUMIFS(age)", "`sum(x, a > 3)`"),
        ("a = stddev(age)", "by one less `stdev(x)`"),
        ("a = rank(age)", "none depends on the order of the rows"),
        ("a = roundup(age)", "`ceil(x)`"),
        ("a = meann(age)", "did you mean `mean`?"),
        ("a = case_when(age > 3, 1, age > 2, 2)", "with a value for all other rows at the end"),
        ("n = count()", "how many rows there are is no secret"),
    ] {
        assert!(refused(text).contains(advice), "{text}: {}", refused(text));
    }
    for (written, means) in [
        ("a = IF(age < 18, 1, 0)", "a = where(age < 18, 1, 0)"),
        ("a = if_else(age < 18, 1, 0)", "a = where(age < 18, 1, 0)"),
        ("a = case_when(age < 18, 0, age < 65, 1, 2)", "a = 0 if age < 18 else 1 if age < 65 else 2"),
        ("a = avg(age)", "a = mean(age)"),
        ("a = Sum(age)", "a = sum(age)"),
        ("a = sum(paid, flag)", "a = sum(paid * (flag == 1))"),
        ("n = count(age > 17, flag == 1)", "n = count(age > 17 and flag == 1)"),
        ("n = countif(age > 17)", "n = count(age > 17)"),
        ("a = age BETWEEN 18 AND 65", "a = 18 <= age <= 65"),
        ("a = between(age, 18, 65) OR NOT flag == 0", "a = 18 <= age <= 65 or not flag == 0"),
        ("a = and(age > 17, flag == 1, visits > 1)", "a = age > 17 and flag == 1 and visits > 1"),
        ("a = or(age > 65, flag == 1)", "a = age > 65 or flag == 1"),
        ("a = xor(age > 17, flag == 1)", "a = (age > 17) != (flag == 1)"),
        (
            "a = any(age > 89)\nb = all(age > 17)\nc = all(age > 16)",
            "a = count(age > 89) > 0\nb = count(age > 17) == 4\nc = count(age > 16) == 4",
        ),
        ("a = ceil(weight)", "a = -floor(-weight)"),
        ("a = age %% 7\nb = age %/% 7", "a = age % 7\nb = age // 7"),
        ("a = pmax(age, 50) - LEAST(age, 50)", "a = max(age, 50) - min(age, 50)"),
        ("a = days(paid, age)", "a = paid - age"),
        ("a = round(paid, -2)", "a = 100 * round(paid / 100)"),
        (
            "d = mean(paid, flag) - mean(paid, age > 64)",
            "d = sum(paid, flag) / sum(flag) - sum(paid, age > 64) / count(age > 64)",
        ),
        ("a = table(flag, [0.5, 1.25])", "a = 0.75 * flag + 0.5"),
    ] {
        assert_eq!(exact(written), exact(means), "{written}");
    }
    assert_eq!(exact("n = count()\nm = sum(age)"), [["4"], ["190"]]);
    assert_eq!(exact("share = count(age > 17) / COUNT(*)"), [["3/4"]]);
    // Of four rows, the mean of the two in the middle.
    assert_eq!(exact("m = median(visits)\na = median(flag)"), [["1"], ["1/2"]]);
    // What is advised is read.
    assert_eq!(exact("a = -floor(-(weight / 10))"), [["7", "9", "10", "5"]]);
}

#[test]
fn numbers_are_rounded_to_places() {
    assert_eq!(exact("a = round(weight, 1)"), [["613/10", "161/2", "100", "45"]]);
    assert_eq!(exact("a = round(weight, 0)"), exact("a = round(weight)"));
    assert_eq!(exact("a = round(weight, 2)"), exact("a = weight"));
    // Halves are rounded up: −61.25 is −61.2.
    assert_eq!(exact("a = round(-weight, 1)"), [["-306/5", "-161/2", "-100", "-45"]]);
    for wrong in ["-19", "19", "0.5", "age"] {
        assert!(refused(&format!("a = round(weight, {wrong})")).contains("from -18 to 18"), "{wrong}");
    }
}

#[test]
fn divisions_take_constants_that_are_decimals() {
    assert_eq!(
        exact("a = weight // 0.25\nb = weight % 0.25"),
        [["245", "322", "399", "180"], ["0", "0", "6/25", "0"],]
    );
    assert_eq!(
        exact("a = paid // 1.5\nb = paid % 1.5"),
        [["666666671", "-2", "0", "166"], ["1/2", "0", "0", "1"],]
    );
    assert_eq!(exact("a = -paid // -0.7"), [["1428571438", "-5", "0", "357"]]);
    assert_eq!(
        exact("a = 100.5 // age\nb = 100.5 % age"),
        [["5", "1", "5", "1"], ["31/2", "71/2", "21/2", "21/2"]]
    );
    assert_eq!(exact("a = age + 7.5 // 2.5"), [["20", "68", "21", "93"]]);
    assert!(refused("a = weight // (0.5 - 1 / 2)").starts_with("division by zero"));
}

#[test]
fn quotients_of_numbers_are_divided_by_the_key_holder() {
    assert_eq!(exact("a = sum(paid) / sum(visits)"), [["166666709"]]);
    assert_eq!(exact("a = sum(paid) / sum(visits)"), exact("a = ratio(sum(paid), sum(visits))"));
    assert_eq!(exact("share = 100 * count(age > 17) / count(age > 0)"), [["75"]]);
    assert_eq!(exact("a = 1 - sum(visits) / sum(age)"), [["92/95"]]);
    assert_eq!(exact("w = sum(weight * visits) / sum(visits)"), [["26099/300"]]);
    assert_eq!(exact("a = sum(paid) / sum(visits) - sum(age) / sum(flag)"), [["166666614"]]);
    assert_eq!(exact("a = (sum(visits) / sum(flag)) ** 2"), [["9"]]);
    // A line that stays inside may be divided, too.
    assert_eq!(exact("_a = sum(paid) / sum(visits)\nb = 2 * _a"), [["333333418"]]);
    // It may be computed with as before, where the divisor's range excludes 0.
    let (program, _) = people("m = sum(age) / sum(weight)\nb = sum(exp(age * m))");
    assert_eq!((program.finished().len(), program.shown_outputs().len()), (1, 1));
    let (program, table) = people("m = sum(age) / sum(weight)\nb = age * m");
    assert_eq!((program.finished().len(), program.shown_outputs().len()), (2, 0));
    let found = evaluate_real(&program, &table).unwrap();
    let m = 190.0 / 286.74;
    assert!((found[1].1.as_slice()[1] - 65.0 * m).abs() < 1e-9, "{found:?}");
    // What no row makes 0 but no data can rule out is missing, not refused.
    assert_eq!(exact("a = sum(visits) / count(age > 1000)"), [Vec::<String>::new()]);
}

#[test]
fn a_table_by_texts_has_an_entry_for_each_category_in_any_order() {
    assert_eq!(
        exact("a = table(region, {'east': 1.5, 'North': 2, 'West': -0.25})"),
        [["2", "3/2", "-1/4", "3/2"]]
    );
    assert_eq!(
        exact("a = table(region, {'West': 7, 'east': 0, 'North': 9, 'South': 4}) * 2"),
        [["18", "0", "14", "0"]]
    );
    let missing = refused_on_data("a = table(region, {'east': 1, 'West': 2})", &[]).to_string();
    assert!(
        missing
            .contains("the table of column `region` has no entry for 'North': add one, as in `'North': 0`"),
        "{missing}"
    );
    assert!(
        refused_on_data("a = table(age, {'east': 1})", &[]).to_string().contains("isn't a column of text")
    );
    for (text, says) in [
        ("a = table(region, {'east': 1, 'east': 2})", "names 'east' twice"),
        ("a = table(region, {1: 1})", "entries that are named by texts"),
        ("a = table(region, {'east': age})", "a constant number beside each text"),
        ("a = table(region, {})", "an entry for each category"),
        ("a = table(region, {'east' 1})", "`:` was expected here"),
        ("a = table(region, {'east': 1)", "`}` was expected here"),
        ("a = {'east': 1}", "this is done with a list"),
    ] {
        assert!(refused(text).contains(says), "{text}: {}", refused(text));
    }
}

#[test]
fn rows_are_counted_by_conditions_only() {
    for (text, column) in [
        ("n = count(visits)", "column `visits` can be anything in"),
        ("m = mean(age, visits)", "column `visits`"),
        ("m = mean_where(age, weight)", "column `weight`"),
        ("n = count(visits - 1)", "this can be anything in"),
    ] {
        let says = refused_on_data(text, &[]).to_string();
        assert!(
            says.contains("takes a condition, which is 0 or 1") && says.contains(column),
            "{text}: {says}"
        );
    }
    assert!(refused_on_data("n = count(flag)", &["flag=0:2"]).to_string().contains("`flag != 0`"));
    assert_eq!(
        exact("n = count(visits != 0)\nm = count(flag)\nk = count(visits > 0)"),
        [["2"], ["2"], ["2"]]
    );
    assert_eq!(exact("m = mean(age, flag)"), [["35/2"]]);
    assert_eq!(exact("n = count(flag and visits)\nk = count(not visits)"), [["1"], ["2"]]);
}

#[test]
fn comparisons_of_quotients_are_multiplied_out_where_divisors_have_one_sign() {
    for (quotients, products) in [
        ("a = weight / height ** 2 >= 25", "a = weight >= 25 * height ** 2"),
        ("a = weight / height < 46", "a = weight < 46 * height"),
        ("a = age / -height <= -40", "a = age >= 40 * height"),
        ("a = weight / height == weight / age", "a = weight * age == weight * height"),
        ("a = weight / height + 1 > age / height", "a = weight + height > age"),
        ("a = (age / height) ** 2 > 1600", "a = age ** 2 > 1600 * height ** 2"),
        ("a = paid / age - weight / height / height != 0", "a = paid * height ** 2 != weight * age"),
        ("a = 2 > age / (weight + 1)", "a = 2 * (weight + 1) > age"),
    ] {
        let (quotients_program, table) = people(quotients);
        let schema = Schema::from_table(&table, &[]).unwrap();
        let planned = specialised(&quotients_program, &schema, false).unwrap();
        assert!(planned.is_exact(&schema), "{quotients}: {planned}");
        let found = evaluate_exact(&planned, &table).unwrap().unwrap();
        assert_eq!(found, evaluate_exact(&people(products).0, &table).unwrap().unwrap(), "{quotients}");
    }
    // On the bound: 45/1.5² is 20.
    let (program, table) = people("a = weight / height ** 2 <= 20\nb = weight / height ** 2 < 20");
    let planned = specialised(&program, &Schema::from_table(&table, &[]).unwrap(), false).unwrap();
    let found = evaluate_exact(&planned, &table).unwrap().unwrap();
    assert_eq!([found[0].1.as_slice()[3].to_string(), found[1].1.as_slice()[3].to_string()], ["1", "0"]);
    // A divisor of either sign is refused, and said.
    let either = refused_on_data("a = age / paid < 3", &[]).to_string();
    assert!(either.contains("a divisor must not be 0, and here column `paid` can be anything"), "{either}");
}

#[test]
fn functions_that_are_made_of_others_say_what_to_write_and_it_works() {
    let says = refused_on_data("z = exp(std(age) / 100)", &[]).to_string();
    assert!(says.contains("`sqrt(assume(var(x), 0.25, 400))`") && !says.contains("offset"), "{says}");
    let says = refused_on_data("z = exp(corr(age, visits))", &[]).to_string();
    assert!(says.contains("`corr(x, y, 0.5, 20)`"), "{says}");
    let says = refused_on_data("z = hypot(visits, flag)", &[]).to_string();
    assert!(says.contains("`sqrt(x * x + y * y + 0.01)`"), "{says}");
    for advised in [
        "z = exp(sqrt(assume(var(age), 0.25, 1600)) / 100)",
        "s = std(age)",
        "z = exp(corr(age, visits, 0.5, 40))",
        "r = corr(age, visits)",
        "z = sqrt(visits * visits + flag * flag + 0.01)",
        "z = hypot(age, flag)",
    ] {
        let (program, table) = people(advised);
        let schema = Schema::from_table(&table, &[]).unwrap();
        ranges(&program, &schema).unwrap_or_else(|error| panic!("{advised}: {error}"));
    }
}

#[test]
fn logarithms_to_other_bases_are_those_of_doubles_and_exact_at_powers() {
    assert_eq!(exact("a = age + log10(1000) + log2(1 / 8) + log10(0.01)"), exact("a = age - 2"));
    let (program, table) = people("a = log10(weight)\nb = log2(weight)");
    let found = evaluate_real(&program, &table).unwrap();
    assert_eq!(found[0].1.as_slice()[2], 99.99f64.log10());
    assert!((found[1].1.as_slice()[1] - 80.5f64.log2()).abs() < 1e-15);
}

#[test]
fn a_name_that_is_read_before_it_is_assigned_says_which_line_to_move() {
    let says = refused("y = x + 1\nz = y\nx = bmi");
    assert!(
        says.contains(
            "`x` is read as a column of the data in line 1, and assigned here: move this line above"
        ),
        "{says}"
    );
    assert!(refused("x = x + 1").starts_with("`x` is already a column of the data"));
}

#[test]
fn columns_may_have_the_words_of_other_tools_as_names() {
    let data = "NOT,OR,in_,between,class\n1,2,3,4,5\n0,-7,9,0,2\n";
    for (text, expected) in [
        ("y = NOT + 1", ["2", "1"]),
        ("y = NOT", ["1", "0"]),
        ("y = NOT - 3 * OR", ["-5", "21"]),
        ("y = NOT NOT", ["0", "1"]),
        ("y = NOT (OR > 0)", ["0", "1"]),
        ("y = NOT == 0 OR OR > 0", ["1", "1"]),
        ("y = between + between", ["8", "0"]),
        ("y = class * 2", ["10", "4"]),
    ] {
        let program = Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let table = read_csv(data.as_bytes(), "d.csv", program.input_names()).unwrap();
        let found = evaluate_exact(&program, &table).unwrap().unwrap();
        let found: Vec<String> = found[0].1.as_slice().iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{text}");
    }
}
