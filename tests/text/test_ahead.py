"""Work done ahead: the answers are those of work done in turn, in the same order, failures included."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.text.streams import prefetch

SIZES = st.integers(0, 12)


@settings(deadline=None)
@given(SIZES, st.sampled_from([None, 1, 2, 3, 7]))
def test_answers_come_in_the_order_of_the_items(size, threads):
    found = list(prefetch(lambda item: -item, iter(range(size)), threads))
    assert found == [(item, -item) for item in range(size)]


@settings(deadline=None)
@given(SIZES.filter(bool), st.sampled_from([1, 2, 3]), st.data())
def test_what_the_work_raises_is_raised_in_its_turn(size, threads, data):
    bad = data.draw(st.integers(0, size - 1))
    found = prefetch(lambda item: 1 // (item != bad), range(size), threads)
    for item in range(bad):
        assert next(found) == (item, 1)
    with pytest.raises(ZeroDivisionError):
        next(found)


@pytest.mark.parametrize(("items", "ahead"), [(3, False), (20, True)])
def test_only_many_items_are_worked_on_by_threads(items, ahead):
    places = {place for _, place in prefetch(lambda _: threading.current_thread(), range(items), 2)}
    assert (places != {threading.current_thread()}) is ahead


def test_with_one_thread_work_waits_for_its_turn():
    done = []
    found = prefetch(done.append, range(20), 1)
    for turn in range(20):
        next(found)
        assert done == list(range(turn + 1))


@pytest.mark.parametrize("number", [0, 1])
def test_the_first_item_tells_whether_work_waits_for_its_turn(number):
    items = range(number, 20)
    places = {place for _, place in prefetch(lambda _: threading.current_thread(), items, 2, in_turn=bool)}
    assert (places == {threading.current_thread()}) is bool(number)


def test_no_thread_is_left():
    before = threading.active_count()
    for item, _ in prefetch(abs, range(30), 3):
        if item == 5:
            break
    assert threading.active_count() == before
