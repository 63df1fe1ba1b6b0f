use super::Round;

fn round(arrived: &[u64], missing: u64) -> Round {
    Round {
        arrived: arrived.to_vec(),
        missing,
        patience: 60_000_000,
        ..Round::default()
    }
}

#[test]
fn a_change_that_somebody_did_not_get_took_the_whole_patience() {
    assert_eq!(round(&[3, 7, 5], 0).last(), 7);
    assert_eq!(round(&[3, 7, 5], 1).last(), 60_000_000);
    assert_eq!(round(&[], 3).last(), 60_000_000);
    // Where nobody was left to hear of it, nothing was seen of how fast it was.
    assert_eq!(round(&[], 0).last(), 60_000_000);
}
