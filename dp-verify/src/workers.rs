//! Tasks on all cores, with a bar for those who wait and an ear for those who do not.

use std::any::Any;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

/// What became of a task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ended<T> {
    /// It came to an end.
    With(T),
    /// It panicked and decided nothing.
    Panicked(String),
    /// The run was interrupted before it began.
    NotBegun,
}

/// Workers that can be watched and interrupted.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    bar: ProgressBar,
    interrupted: Arc<AtomicBool>,
}

impl Workers {
    /// Workers for `tasks` tasks. Their bar is on the standard error, if that is a
    /// terminal.
    pub(crate) fn new(tasks: usize) -> Self {
        let bar = ProgressBar::new(u64::try_from(tasks).unwrap_or(u64::MAX));
        let shape = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
        bar.set_style(shape.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, interrupted: Arc::new(AtomicBool::new(false)) }
    }

    /// Ends the run at the first interruption, after the tasks that have begun; a second one ends
    /// the program.
    pub(crate) fn stop_when_interrupted(&self) {
        let (interrupted, bar) = (Arc::clone(&self.interrupted), self.bar.clone());
        let handler = move || {
            if interrupted.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            bar.println("interrupted: ending with what has begun; once more to leave at once");
        };
        // Without a handler an interruption ends the program, which is what people expect then.
        let _ = ctrlc::set_handler(handler);
    }

    /// Does all tasks; what became of them is in their order.
    pub(crate) fn each<T, O>(
        &self,
        tasks: &[T],
        name: impl Fn(&T) -> String + Sync,
        work: impl Fn(&T) -> O + Sync,
    ) -> Vec<Ended<O>>
    where
        T: Sync,
        O: Send,
    {
        let next = AtomicUsize::new(0);
        let one = |task: &T| {
            if self.interrupted.load(Ordering::Relaxed) {
                return Ended::NotBegun;
            }
            self.bar.set_message(name(task));
            let ended = catch_unwind(AssertUnwindSafe(|| work(task)));
            self.bar.inc(1);
            ended.map_or_else(|panic| Ended::Panicked(message(panic.as_ref())), Ended::With)
        };
        let several = || {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(index) else { return done };
                done.push((index, one(task)));
            }
        };
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let mut ended: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..cores.min(tasks.len())).map(|_| scope.spawn(several)).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        ended.sort_by_key(|(index, _)| *index);
        ended.into_iter().map(|(_, ended)| ended).collect()
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_a_panic_stays_with_its_task() {
        let work = |task: &u64| {
            thread::sleep(std::time::Duration::from_millis(20 / (task + 1)));
            assert!(*task != 2, "at the disco");
            task * task
        };
        let ended = Workers::new(4).each(&[0, 1, 2, 3], u64::to_string, work);
        assert_eq!(
            ended,
            [Ended::With(0), Ended::With(1), Ended::Panicked("at the disco".into()), Ended::With(9)]
        );
    }

    #[test]
    fn nothing_begins_after_an_interruption() {
        let workers = Workers::new(3);
        let work = |task: &u64| workers.interrupted.store(*task == 0, Ordering::Relaxed);
        let ended = workers.each(&[0], u64::to_string, work);
        assert_eq!(ended, [Ended::With(())]);
        assert_eq!(workers.each(&[1, 2], u64::to_string, work), [Ended::NotBegun, Ended::NotBegun]);
    }
}
