"""NumPy's threads within and after a block."""

from contextlib import ExitStack
from threading import Thread

from threadpoolctl import threadpool_info, threadpool_limits

from spatial_game.threads import one_thread


def threads_of_numpy():
    return {library["num_threads"] for library in threadpool_info() if "numpy" in library["filepath"]}


def test_numpy_has_one_thread_within_the_block_alone():
    with threadpool_limits(2):
        with one_thread():
            assert threads_of_numpy() == {1}
        assert threads_of_numpy() == {2}


def in_a_thread(call, *arguments):
    thread = Thread(target=call, args=arguments)
    thread.start()
    thread.join()


def test_blocks_that_overlap_in_other_threads_leave_what_was_there():
    before, first, second = threads_of_numpy(), ExitStack(), ExitStack()
    in_a_thread(threadpool_limits, 2)
    for stack in (first, second):
        in_a_thread(lambda stack=stack: stack.enter_context(one_thread()))
    for stack in (first, second):
        in_a_thread(stack.close)
    assert threads_of_numpy() == {2}
    in_a_thread(threadpool_limits, *before)
