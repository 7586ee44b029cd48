"""`forumsvc dump`."""


def test_a_dump_without_jobs_warns_of_an_account_that_is_being_erased(run, tmp_path):
    run("user", "add", "ann", "--password", "tangled-wire-77")
    assert "Warning" not in run("dump", tmp_path / "before").out
    run("user", "erase", "ann", "--posts", "blank", "--yes")
    assert "1 erasures or renamings of accounts are not" in run("dump", tmp_path / "half").out
    assert "Warning" not in run("dump", "--secrets", tmp_path / "whole").out
