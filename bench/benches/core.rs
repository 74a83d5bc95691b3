//! Measures the cost of deciding, compared with a plain copy of the same bytes.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use overspill_bench::lines;
use overspill_core::{Keep, Policy, Size, Window, cut, preview};
use std::hint::black_box;

fn small(c: &mut Criterion) {
    let mut group = c.benchmark_group("fits");
    let policy = Policy::default();
    for (name, len) in [("1K", 1 << 10), ("49K", 49 << 10)] {
        let text = lines(len);
        let mut copy = vec![0; len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new("memcpy", name), |b| {
            b.iter(|| black_box(&mut copy).copy_from_slice(black_box(&text)));
        });
        group.bench_function(BenchmarkId::new("cut", name), |b| {
            b.iter(|| cut(black_box(&text), black_box(&policy)));
        });
    }
    group.finish();
}

fn large(c: &mut Criterion) {
    let mut group = c.benchmark_group("over");
    group.sample_size(10);
    for (name, len) in [("1M", 1 << 20), ("100M", 100 << 20)] {
        let text = lines(len);
        let mut copy = vec![0; len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new("memcpy", name), |b| {
            b.iter(|| black_box(&mut copy).copy_from_slice(black_box(&text)));
        });
        for (kept, keep) in [("head", Keep::Head), ("tail", Keep::Tail), ("ends", Keep::ENDS)] {
            let policy = Policy::new(Policy::LIMITS, keep);
            group.bench_function(BenchmarkId::new(format!("preview {kept}"), name), |b| {
                b.iter(|| preview(black_box(&text), black_box(&policy)));
            });
        }
        let policy = Policy::default();
        group.bench_function(BenchmarkId::new("cut ends, exact totals", name), |b| {
            b.iter(|| cut(black_box(&text), black_box(&policy)));
        });
        group.bench_function(BenchmarkId::new("totals alone", name), |b| {
            b.iter(|| Size::of(black_box(&text), policy.lines));
        });
        group.bench_function(BenchmarkId::new("window, 64K chunks", name), |b| {
            b.iter(|| {
                let mut window = Window::new(policy.clone());
                text.chunks(64 << 10).for_each(|chunk| drop(window.push(chunk)));
                window.finish()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, small, large);
criterion_main!(benches);
