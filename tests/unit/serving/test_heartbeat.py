"""When a worker counts as hanging."""

from forumsvc.serving.heartbeat import HangDetector, Heartbeats, TaskCounter


def test_a_worker_makes_progress_while_a_thread_is_free_or_finishes():
    tasks = TaskCounter(threads=2)
    assert tasks.has_progressed()
    tasks.start()
    assert tasks.has_progressed()
    tasks.start()
    assert not tasks.has_progressed()
    tasks.finish()
    tasks.start()
    assert tasks.has_progressed()
    assert not tasks.has_progressed()


def test_a_worker_hangs_after_its_time_without_progress():
    beats = Heartbeats(2)
    watch = HangDetector()
    for _ in range(5):
        beats.beat(2, progress=True)
        assert watch.check(beats.read(2), 60, 90) is None
    for _ in range(2):
        beats.beat(2, progress=False)
        reason = watch.check(beats.read(2), 60, 90)
    assert reason == "all its threads work on the same requests for 120 s"
    assert beats.read(1) == (0, 0)


def test_a_main_loop_that_stands_still_hangs():
    beats = Heartbeats(1)
    watch = HangDetector()
    assert watch.check(beats.read(1), 60, 90) is None
    assert watch.check(beats.read(1), 60, 90) is None
    assert watch.check(beats.read(1), 60, 90) == "its main loop stands still for 120 s"
    beats.beat(1, progress=True)
    assert watch.check(beats.read(1), 60, 90) is None
