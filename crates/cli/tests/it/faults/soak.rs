//! All disasters, mixed at random for a while: 25 seconds, or half an hour with `BURGEE_LONG_TESTS`, or
//! `BURGEE_SOAK_SECONDS`. What happens is decided by a seed, which is printed; `BURGEE_SOAK_SEED` takes
//! one, so that what went wrong can be looked at again (the moments differ: processes have their own).
//! The short one has the same each time.

mod disasters;
mod held;
mod told;

use std::time::{Duration, Instant};

use burgee_testkit::cluster::verdict::Loss;
use uuid::Uuid;

use super::LONG;
use disasters::{Disaster, Scene};
use held::{All, Course};
use told::Told;

/// How long the storm is.
const SECONDS: &str = "BURGEE_SOAK_SECONDS";
/// What decides what happens.
const SEED: &str = "BURGEE_SOAK_SEED";
/// How long it is where nothing is said.
const SHORT: Duration = Duration::from_secs(25);
/// A seed of which the short storm has processes that end, ones that stand still, lost packets, a narrow
/// line, and both databases that die.
const MIXED: u64 = 275;
/// Between two changes of a person: what half an hour of them is has to be looked through at the end.
const PAUSE: Duration = Duration::from_millis(200);
/// Disasters at a time.
const AT_ONCE: usize = 2;

fn storm() -> Duration {
    let said = std::env::var(SECONDS).ok();
    let long = std::env::var_os(LONG).map(|_| 1800);
    let seconds = said.map(|it| it.parse().unwrap()).or(long);
    seconds.map_or(SHORT, Duration::from_secs)
}

/// Numbers that follow from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn thrown() -> Self {
        let seed = match std::env::var(SEED) {
            Ok(text) => text.parse().unwrap(),
            // The short storm is the same each time: whoever waits for it changed something else.
            Err(_) if storm() <= SHORT => MIXED,
            Err(_) => Uuid::new_v4().as_u64_pair().0,
        };
        eprintln!("{SEED}={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, many: usize) -> usize {
        usize::try_from(self.next() % many as u64).unwrap()
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.below(1000) as f64 / 1000.0)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_all_disasters_leaves_everything_as_it_should_be() {
    let mut dice = Dice::thrown();
    let mut scene = Scene::new(dice.below(2)).await;
    let mut told = Told::begin(&scene.cluster).await;
    let warm = scene.cluster.watch(2);
    let mut writing = scene.cluster.write(1, PAUSE);
    writing.acknowledged(50).await;
    let before = All::of(&mut scene);
    let mut course = Course::begin();

    rage(&mut dice, &mut scene, &mut told, &mut course).await;
    writing.well_again().await;
    writing.end().await;
    scene.until_well().await;
    course.is_level();
    // Before anybody looks through the history, for which servers take memory of their own.
    before.was_given_back(&mut scene).await;
    scene.cluster.verdict(warm, Loss::None).await;
    scene.until_same().await;
    let api = scene.cluster.api(0);
    told.until_counted(&api, &scene.starts).await;
}

/// Disasters, and evaluations that are told to who has none, until the time is over.
async fn rage(dice: &mut Dice, scene: &mut Scene, told: &mut Told, course: &mut Course) {
    let mut under_way: Vec<Disaster> = Vec::new();
    let until = Instant::now() + storm();
    while Instant::now() < until {
        if under_way.len() < AT_ONCE && dice.below(3) > 0 {
            let disaster = Disaster::any(dice, scene);
            if under_way.iter().all(|other| disaster.goes_with(*other)) {
                eprintln!("{disaster:?}");
                scene.begin(disaster).await;
                under_way.push(disaster);
            }
        } else if !under_way.is_empty() {
            let over = under_way.remove(0);
            eprintln!("over: {over:?}");
            scene.end(over).await;
        }
        let node = dice.below(scene.nodes());
        if under_way.iter().all(|it| !it.concerns(node)) {
            told.tell(&scene.cluster, node, scene.starts[node]).await;
        }
        course.look(scene);
        tokio::time::sleep(dice.up_to(Duration::from_secs(3))).await;
    }
    for over in under_way {
        scene.end(over).await;
    }
}
