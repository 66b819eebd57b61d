"""NumPy's threads within and after a block."""

from threadpoolctl import threadpool_info, threadpool_limits

from spatial_game.threads import one_thread


def threads_of_numpy():
    return {library["num_threads"] for library in threadpool_info() if "numpy" in library["filepath"]}


def test_numpy_has_one_thread_within_the_block_alone():
    with threadpool_limits(2):
        with one_thread():
            assert threads_of_numpy() == {1}
        assert threads_of_numpy() == {2}
