//! Measures the cost of a bucket, compared with plain puts and gets of the same bytes on the same
//! server.
//!
//! `tools/buckets cargo run --release -p overspill-bench --features bucket --example fleet` runs it.
//! With `-- list 100000` it measures listing 100,000 outputs.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use overspill::core::Limits;
use overspill::internal::retrieve::{count, read};
use overspill::internal::store::{Catalog, RecentQuery};
use overspill::retrieve::Query;
use overspill::store::bucket::{Address, Bucket, BucketOptions};
use overspill::store::{Disk, DiskOptions, Durability, OutputId, Store};
use overspill::{Call, Part};

const MIB: usize = 1 << 20;
const LARGE: usize = 256 * MIB;
/// The size of an output that is small enough for the cache.
const MEDIUM: usize = 32 * MIB;
const HUGE: usize = 1024 * MIB;
const TURNS: usize = 3;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[allow(clippy::print_stdout, reason = "an example")]
fn main() -> Result<()> {
    let endpoint = std::env::var("OVERSPILL_TEST_S3")?;
    let spools = tempfile::tempdir()?;
    let bench = Bench::new(&endpoint, spools.path())?;
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [word, many] = args.as_slice()
        && word == "list"
    {
        return bench.list(many.parse()?);
    }
    let text = lines(MIB);

    // This comes before the other measurements fill the memory.
    let large = bench.save("ours", &text, LARGE)?;
    let mut best = [Duration::MAX; 11];
    let found = bench.grep("grep", &large, &mut best[5])?;
    let page_of = bench.save("huge", &text, HUGE)?;
    let medium = bench.save("medium", &text, MEDIUM)?;
    let peak = peak()?;

    let bytes: Vec<u8> = text.iter().copied().cycle().take(LARGE).collect();
    let payload = PutPayload::from(bytes);
    for turn in 0..TURNS {
        let path = Path::from(format!("plain/{turn}"));
        keep(&mut best[0], || bench.wait(bench.plain.put(&path, payload.clone())))?;
        keep(&mut best[1], || bench.wait(async { bench.plain.get(&path).await?.bytes().await }))?;
        bench.save_timed(&format!("turn-{turn}"), &text, LARGE, &mut best[2..4])?;
        // Each name is a machine without cached outputs; fetched outputs stay there.
        let fresh = |what: &str| bench.machine(&format!("{what}-{turn}"));
        keep(&mut best[4], || whole(&fresh("reader"), &large))?;
        keep(&mut best[9], || whole(&fresh("reader"), &medium))?;
        keep(&mut best[10], || whole(&fresh("reader"), &medium))?;
        bench.grep(&format!("grep-{turn}"), &large, &mut best[5])?;
        keep(&mut best[6], || bench.wait(bench.plain.get_range(&path, 0..64 << 10)))?;
        keep(&mut best[7], || page(&fresh("first"), &page_of, 1))?;
        keep(&mut best[8], || page(&fresh("middle"), &page_of, 20_000_000))?;
        bench.wait(bench.plain.delete(&path))?;
        for spool in ["reader", "grep"] {
            fs::remove_dir_all(spools.path().join(format!("{spool}-{turn}")))?;
        }
    }
    let ratio = |ours: usize, plain: usize| best[ours].as_secs_f64() / best[plain].as_secs_f64();
    let moved = {
        let machine = bench.machine("moved");
        page(&machine, &page_of, 20_000_000)?;
        machine.traffic()
    };
    println!("plain put of 256 MiB       {:8.1?}", best[0]);
    println!("plain get of 256 MiB       {:8.1?}", best[1]);
    println!("upload of 256 MiB          {:8.1?}  {:.2}x of put", best[3], ratio(3, 0));
    println!("saved, spool and upload    {:8.1?}  {:.2}x of put", best[2], ratio(2, 0));
    println!("full read of 256 MiB       {:8.1?}  {:.2}x of get", best[4], ratio(4, 1));
    let again = best[10].as_secs_f64() / best[9].as_secs_f64();
    println!("32 MiB, read and kept      {:8.1?}", best[9]);
    println!("the same once more         {:8.1?}  {again:.2}x", best[10]);
    println!(
        "grep of 256 MiB, {found} lines {:6.1?}  {:.2}x the speed of get",
        best[5],
        1.0 / ratio(5, 1)
    );
    println!("plain get of 64 KiB        {:8.2?}", best[6]);
    println!("first page of 1 GiB        {:8.2?}  {:.2}x", best[7], ratio(7, 6));
    println!("page in the middle of it   {:8.2?}  {:.2}x", best[8], ratio(8, 6));
    println!("which moves                {} requests, {} bytes", moved.requests, moved.received);
    println!("peak memory                {} MiB", peak / 1024);
    Ok(())
}

struct Bench<'a> {
    endpoint: &'a str,
    spools: &'a std::path::Path,
    plain: Arc<dyn ObjectStore>,
    runtime: tokio::runtime::Runtime,
}

impl Bench<'_> {
    fn new<'a>(endpoint: &'a str, spools: &'a std::path::Path) -> Result<Bench<'a>> {
        // Called once, so that the plain client has a TLS provider.
        let bench = |plain| -> Result<Bench<'a>> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            Ok(Bench { endpoint, spools, plain, runtime })
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        let plain = AmazonS3Builder::new()
            .with_bucket_name("fleet")
            .with_endpoint(endpoint)
            .with_allow_http(true)
            .with_access_key_id("fleetkey")
            .with_secret_access_key("fleetsecret")
            .build()?;
        bench(Arc::new(plain))
    }

    fn wait<T, E: Error + 'static>(
        &self,
        work: impl Future<Output = std::result::Result<T, E>>,
    ) -> Result<T> {
        Ok(self.runtime.block_on(work)?)
    }

    fn machine(&self, spool: &str) -> Bucket {
        let options = DiskOptions {
            durability: Durability::None,
            keep_free: 0,
            most_per_output: u64::MAX,
            ..DiskOptions::default()
        };
        let spool = Disk::new(self.spools.join(spool), options);
        let variables = [
            ("AWS_ENDPOINT_URL", self.endpoint),
            ("AWS_ACCESS_KEY_ID", "fleetkey"),
            ("AWS_SECRET_ACCESS_KEY", "fleetsecret"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let upload_wait = Duration::from_secs(600);
        let options = BucketOptions { variables, upload_wait, ..BucketOptions::default() };
        let address = Address::parse("s3://fleet/bench").unwrap_or_else(|| unreachable!());
        Bucket::new(spool, address, options)
    }

    fn save(&self, spool: &str, text: &[u8], bytes: usize) -> Result<OutputId> {
        self.save_timed(spool, text, bytes, &mut [Duration::MAX; 2])
    }

    /// Saves `len` bytes; notes the time in total, and the time of the upload alone.
    fn save_timed(
        &self,
        spool: &str,
        text: &[u8],
        bytes: usize,
        best: &mut [Duration],
    ) -> Result<OutputId> {
        let machine = self.machine(spool);
        let started = Instant::now();
        let mut draft = machine.create(&Call::new("bench"))?;
        for _ in 0..bytes / text.len() {
            draft.append(text)?;
        }
        let spooled = started.elapsed();
        let saved = draft.publish()?;
        let all = started.elapsed();
        best[0] = best[0].min(all);
        best[1] = best[1].min(all - spooled);
        fs::remove_dir_all(self.spools.join(spool))?;
        Ok(saved.id)
    }

    /// Lists the newest of `many` outputs of ten days and a hundred sessions.
    #[allow(clippy::print_stdout, reason = "an example")]
    fn list(&self, many: u64) -> Result<()> {
        let machine = self.machine("list");
        let folder = Path::from(format!("{}/outputs", machine.folder()));
        let first = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(240);
        let put = |number: u64| {
            let hours = jiff::SignedDuration::from_hours(24 * (number % 10) as i64);
            let time = first + hours + jiff::SignedDuration::from_millis(number as i64);
            let id = ulid::Ulid::from_parts(time.as_millisecond() as u64, number.into());
            let day = time.strftime("%Y-%m-%d");
            let path = Path::from(format!("{folder}/{day}/s{}/bash/{id}.txt", number % 100));
            async move { self.plain.put(&path, "output\n".into()).await }
        };
        self.wait(async {
            let all = futures_util::stream::iter(0..many).map(put).buffer_unordered(32);
            all.try_for_each(|_| async { Ok(()) }).await
        })?;
        let mut best = [Duration::MAX; 3];
        for _ in 0..TURNS {
            let plain = async { self.plain.list(Some(&folder)).try_collect::<Vec<_>>().await };
            keep(&mut best[0], || self.wait(plain))?;
            keep(&mut best[1], || Ok(self.machine("list").list()?))?;
            let newest = RecentQuery { most: 50, ..RecentQuery::default() };
            keep(&mut best[2], || Ok(self.machine("list").newest(&newest)?))?;
        }
        let ratio = |ours: usize| best[ours].as_secs_f64() / best[0].as_secs_f64();
        println!("plain list of {many}     {:8.1?}", best[0]);
        println!("all of them, as entries  {:8.1?}  {:.2}x", best[1], ratio(1));
        println!("the newest 50            {:8.1?}  {:.2}x", best[2], ratio(2));
        Ok(())
    }

    fn grep(&self, spool: &str, name: &OutputId, best: &mut Duration) -> Result<u64> {
        let machine = self.machine(spool);
        let query = Query { pattern: "line 77 of".into(), ..Query::default() };
        let mut found = 0;
        keep(best, || {
            found = count(&machine, name, &query)?;
            Ok(())
        })?;
        Ok(found)
    }
}

fn keep<T>(best: &mut Duration, work: impl FnOnce() -> Result<T>) -> Result<()> {
    let started = Instant::now();
    black_box(work()?);
    *best = (*best).min(started.elapsed());
    Ok(())
}

fn whole(store: &Bucket, name: &OutputId) -> Result<u64> {
    let total = store.entry(name)?.bytes;
    let mut at = 0;
    while at < total {
        at += store.read(name, at..at + (256 << 10))?.len() as u64;
    }
    Ok(at)
}

fn page(store: &Bucket, name: &OutputId, line: u64) -> Result<usize> {
    let limits = Limits::NONE.lines(2000).bytes(51_200);
    let page = read(store, name, &Part::Lines(line, line + 1999), &limits)?;
    assert!(!page.text.is_empty(), "there is a page");
    Ok(page.text.len())
}

fn lines(bytes: usize) -> Vec<u8> {
    let lines =
        (0..).flat_map(|n| format!("line {n} of an output that says little\n").into_bytes());
    lines.take(bytes).collect()
}

/// Returns the peak memory of this process in KiB.
fn peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}
