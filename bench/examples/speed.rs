//! Times the store on disk: `speed save FILE DIR` saves a file over and over, `speed list DIR`
//! lists a directory, `speed fit` takes a short output. Prints one line of JSON for each
//! operation, with its best time.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use jiff::Timestamp;
use overspill::internal::store::{Access, Also, Catalog, Lookup, NamePart, NameStyle, Record};
use overspill::internal::sweep::expired;
use overspill::store::{Disk, DiskOptions, Durability, Memory, Store};
use overspill::{Call, Overspill, Profile, Retention};

type Done = Result<(), Box<dyn Error>>;

const NAMES: NameStyle = NameStyle {
    parts: &[NamePart::Text("tool_"), NamePart::UtcDay, NamePart::Text("_"), NamePart::Random(6)],
    ending: "",
    also: Also::Prefix("tool_"),
};
const CHUNK: usize = 256 << 10;

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["save", file, directory] => save(&fs::read(file)?, Path::new(directory)),
        ["list", directory] => list(Path::new(directory)),
        ["fit"] => fit(),
        _ => Err("usage: speed save FILE DIR | speed list DIR | speed fit".into()),
    }
}

/// Processes a short output of a hundred bytes, a hundred thousand times.
fn fit() -> Done {
    const TIMES: u32 = 100_000;
    let overspill = Overspill::new(Profile::OWN, Memory::default());
    let output = [b'x'; 100];
    let mut best = f64::MAX;
    for _ in 0..20 {
        let started = Instant::now();
        for _ in 0..TIMES {
            black_box(overspill.process(black_box(&output), &Call::default()));
        }
        best = best.min(started.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES));
    }
    println!("{{\"operation\": \"fit\", \"nanoseconds\": {best:.0}}}");
    Ok(())
}

fn options(records: bool) -> DiskOptions {
    let durability = Durability::None;
    DiskOptions { names: NAMES, records, durability, access: Access::Shared, ..Default::default() }
}

fn save(bytes: &[u8], directory: &Path) -> Done {
    let rounds = if bytes.len() > 10 << 20 { 5 } else { 50 };
    let path = directory.join("plain");
    best(
        "plain",
        rounds,
        || {
            File::create_new(&path)?.write_all(bytes)?;
            Ok(())
        },
        || Ok(fs::remove_file(&path)?),
    )?;
    best(
        "plain, chunks",
        rounds,
        || {
            let mut file = File::create_new(&path)?;
            bytes.chunks(CHUNK).try_for_each(|chunk| file.write_all(chunk))?;
            Ok(())
        },
        || Ok(fs::remove_file(&path)?),
    )?;

    let call = Call { command: Some("cargo test".into()), ..Call::new("bash") };
    let store = Disk::new(directory.join("store"), options(false));
    let put = |store: &Disk| -> Result<_, Box<dyn Error>> {
        let mut draft = store.create(&call)?;
        bytes.chunks(CHUNK).try_for_each(|chunk| draft.append(chunk))?;
        Ok(draft.publish()?)
    };
    best("save", rounds, || put(&store).map(drop), || clear(&store))?;
    let store = Disk::new(directory.join("store"), options(true));
    let record = Record { call: call.clone(), bytes: bytes.len() as u64, ..Record::default() };
    best(
        "save, records",
        rounds,
        || Ok(store.describe(&put(&store)?.id, &record)?),
        || clear(&store),
    )?;

    let name = put(&store)?.id;
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
    let mut line = 1;
    best(
        "line_start",
        1_000,
        || {
            line = (line * 7_919 + 13) % lines.max(1) + 1;
            store.line_start(&name, line)?.ok_or("no such line")?;
            Ok(())
        },
        || Ok(()),
    )?;
    best("check", rounds, || store.check(&name).map(drop).map_err(Into::into), || Ok(()))?;
    Ok(fs::remove_dir_all(store.path())?)
}

fn clear(store: &Disk) -> Done {
    store.list()?.iter().try_for_each(|entry| store.delete(&entry.name))?;
    Ok(())
}

fn list(directory: &Path) -> Done {
    let store = Disk::new(directory, options(false));
    best("list", 5, || store.list().map(drop).map_err(Into::into), || Ok(()))?;
    let entries = store.list()?;
    let decide = || {
        expired(&entries, &Retention::default(), Timestamp::now());
        Ok(())
    };
    best("decide", 5, decide, || Ok(()))
}

/// Prints the best and the median time of `rounds`; the time of `clean` does not count.
fn best(
    what: &str,
    rounds: usize,
    mut work: impl FnMut() -> Done,
    mut clean: impl FnMut() -> Done,
) -> Done {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let started = Instant::now();
        work()?;
        times.push(started.elapsed().as_nanos());
        clean()?;
    }
    times.sort_unstable();
    println!("{{\"op\": \"{what}\", \"ns\": {}, \"median\": {}}}", times[0], times[rounds / 2]);
    Ok(())
}
