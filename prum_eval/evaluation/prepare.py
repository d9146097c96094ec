"""How the plan of a call is made: read what all runs share, choose measures and their settings, restrict topics.

Options come before a configuration file, this before a task. Measures of a set whose inputs are missing are left out
with a notice; a measure requested by name without its inputs is an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from os import PathLike

from prum_eval.collection.element_sizes import size_conflicts
from prum_eval.errors import DataError, UsageError, errors_at
from prum_eval.evaluation.configuration import Configuration
from prum_eval.evaluation.inputs import Inputs, LoadedAssessments, has_lengths, load_assessments, read_inputs
from prum_eval.evaluation.notices import (
    CACHE,
    CONFIGURATION,
    FACETS,
    LEFT_OUT,
    LENGTHS,
    LISTED_ONLY,
    NO_STRUCTURE,
    PAST_END,
    TOPICS,
    Notice,
    spans_file_notices,
)
from prum_eval.evaluation.options import EvaluationOptions, TopicsInput, check_options, name_list
from prum_eval.evaluation.plan import TASK_SEPARATOR, Pairs, Plan, RunSource
from prum_eval.evaluation.settings import (
    Setting,
    check_set_keys,
    configure_requested,
    configure_variants,
    resolve_setting,
)
from prum_eval.formats import RankBy
from prum_eval.formats.reading import AssessmentsInput, resolve_run_inputs
from prum_eval.formats.topic_files import read_topics
from prum_eval.measures.base import Need, is_divisible
from prum_eval.measures.registry import PRECISION_OMEGA
from prum_eval.measures.specs import (
    ConfiguredMeasure,
    MeasureSpec,
    chunk_spec,
    first_requested_name,
    is_familiar_spec,
    measure_list,
    requested_specs,
    split_specs,
)
from prum_eval.measures.tasks import Task, default_task, find_task
from prum_eval.parameters import did_you_mean, text_counter
from prum_eval.records import AssessmentKind, ElementTopic
from prum_eval.relevance.quantisations import DEFAULT_QUANTISATION, combined_quantisation
from prum_eval.relevance.targets import TargetKind
from prum_eval.tabular import plural
from prum_eval.text.names import candidate_documents
from prum_eval.text.streams import display_name
from prum_eval.user_models.model import ModelNeed, joins_items, may_skip_targets
from prum_eval.user_models.registry import (
    GRAPH_MODEL,
    choose_model,
    find_user_model,
    name_function_models,
    parse_model_spec,
    reads_beyond,
    takes_navigation,
)

_STRUCTURE = "--structure"
"""The option that gives the elements of documents and where they are."""
_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


def prepare(options: EvaluationOptions) -> Plan:
    """Read what all runs share, and choose measures and settings.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`.
    """
    check_options(options)
    options = replace(options, user_model=name_function_models(options.user_model))
    for model_spec in name_list(options.user_model) if options.navigation is not None else ():
        model = parse_model_spec(model_spec)[0]
        if model != GRAPH_MODEL and not takes_navigation(model):
            raise UsageError(f"a navigation file is for user model {GRAPH_MODEL}, not {model}")
    rank_by = None if options.rank_by is None else RankBy(options.rank_by)
    configuration = Configuration()
    if options.config is not None:
        from prum_eval.evaluation.configuration import load_configuration  # few calls have one

        configuration = load_configuration(str(options.config))
    assessments = configuration.assessments if options.assessments is None else options.assessments
    runs = configuration.runs if options.runs is None else options.runs
    if assessments is None or runs is None:
        missing = "assessments" if assessments is None else "runs"
        raise UsageError(f"no {missing}: give them, or a configuration file with them")

    tasks = [find_task(name) for name in name_list(options.task)]
    if not tasks and configuration.task is not None:
        tasks = [configuration.task]
    structure = configuration.structure if options.structure is None else options.structure
    option_specs = _option_specs(options)
    unread: AssessmentsInput | LoadedAssessments = assessments
    has_specs = bool(any(task.specs for task in tasks) or configuration.requests or option_specs)
    if any(map(is_familiar_spec, option_specs)):
        unread = load_assessments(
            assessments, cache=options.cache, structured=structure is not None, facets=options.facets
        )
        if unread.assessments.chunks:
            option_specs = [chunk_spec(spec) for spec in option_specs]
    if not has_specs:
        unread = load_assessments(
            assessments, cache=options.cache, structured=structure is not None, facets=options.facets
        )
        flat = unread.assessments.kind is AssessmentKind.FLAT
        classic = flat and structure is None and not _asks_for_navigation(options)
        tasks = [default_task(chunks=unread.assessments.chunks, classic=classic)]
    tasks = [_with_reading_costs(task, options) for task in tasks]
    specs: list[str | MeasureSpec] = [*configuration.requests, *option_specs]
    if options.variants:
        requested = in_order = configure_variants(specs, options, tasks)
    else:
        requested, in_order = configure_requested(specs, options, tasks)
    measures = requested = [replace(one, explicit=one.explicit and has_specs) for one in requested]
    if options.curves:
        from prum_eval.evaluation.results import with_curve_levels  # most calls print numbers

        measures = with_curve_levels(requested)
    sources: Sequence[RunSource]
    if isinstance(runs, tuple) and all(isinstance(run, str) for run in runs):  # as from the command line
        sources = runs
    else:
        sources = resolve_run_inputs(runs, rank_by, count_text=text_counter(options.tokens))
    backend = None
    if options.jobs != 1 or options.cluster is not None:
        from prum_eval.evaluation.parallel import make_executor  # few calls share runs out

        backend = make_executor(options.jobs, len(sources), options.cluster)
    merge = configuration.merge if options.merge is None else options.merge
    documents: set[str] = set()
    all_documents = merge is not None or any(Need.EXTENTS in measure.needs for measure in measures)
    link_documents = any(map(_navigates_from_passages, measures))
    if structure is not None and (all_documents or link_documents):
        from prum_eval.evaluation.parallel import read_documents

        # Such measures look into every document that a run names, so the runs come before the structure.
        sources, run_documents = read_documents(sources, rank_by, backend, of_passages=not all_documents)
        documents = candidate_documents(run_documents)
    inputs = read_inputs(
        unread,
        structure,
        options.navigation,
        options.navigation_kind,
        options.collection_size,
        also=documents,
        cache=options.cache,
        facets=options.facets,
    )

    notices = [Notice(CONFIGURATION, text) for text in configuration.warnings]
    if options.groups is not None or inputs.assessments.groups:
        from prum_eval.evaluation.results import match_groups  # few calls have some

        groups = options.groups if options.groups is not None else inputs.assessments.groups or {}
        matched, more = match_groups(groups, inputs.assessments.topics, inputs.assessments.path)
        inputs = replace(inputs, assessments=replace(inputs.assessments, groups=matched))
        notices += more
    pairs, measure_notices = _pairs(inputs, measures, (options.settings or {}).keys(), explicit_set=has_specs)
    topics = None
    if options.topics is not None:
        topics, more = select_topics(options.topics, inputs.assessments.topics, inputs.assessments.path)
        notices += more
    exclude = None
    if options.exclude is not None:
        from prum_eval.formats.topic_files import read_exclusions_input  # few calls have some

        exclude = read_exclusions_input(options.exclude)
    names = dict.fromkeys(name for measure in requested for name in measure.names)
    limit = configuration.limit if options.limit is None else options.limit
    task_names = [task.name for task in tasks if task.name]
    return Plan(
        inputs,
        pairs,
        sources,
        rank_by,
        backend,
        # topics that a run of chunks lacks count 0, unless the user says otherwise
        next(
            (given for given in (options.complete, configuration.complete) if given is not None),
            inputs.assessments.chunks,
        ),
        _limit_of_tasks(tasks) if limit is None else limit,
        TASK_SEPARATOR.join(task_names) or None,
        merge,
        options.tokens,
        options.judged_only,
        exclude,
        options.facets or ("declared" if inputs.assessments.has_facets else None),
        topics,
        tuple(names),
        tuple(dict.fromkeys(name for measure in in_order for name in measure.names if name in names)),
        bool(task_names) or not all(measure.explicit for measure in in_order),
        (*notices, *measure_notices),
        _first_score(requested_specs(option_specs), requested),
    )


def _with_reading_costs(task: Task, options: EvaluationOptions) -> Task:
    """The task chunks with what is read beyond results too, if a user of the options may read on."""
    models = name_list(options.user_model) if task.name == "chunks" else ()
    if not any(reads_beyond(choose_model(*parse_model_spec(model))) for model in models):
        return task
    place = task.specs.index("size.5") + 1
    return replace(task, specs=(*task.specs[:place], "read.5", *task.specs[place:]))


def _asks_for_navigation(options: EvaluationOptions) -> bool:
    """Whether an option has a meaning for navigation measures only."""
    values = (
        options.user_model,
        options.navigation,
        options.targets,
        options.prum_mode,
        options.ideal_list,
        options.items,
        options.collection_size,
    )
    return any(value is not None and value != () for value in values)


def _limit_of_tasks(tasks: Sequence[Task]) -> int | None:
    """Most results per topic.

    Raises:
        UsageError: the tasks have different limits.
    """
    first = next(iter(tasks), None)
    for task in tasks:
        if first is not None and task.limit != first.limit:
            words = [f"{each.name} uses {each.limit or 'all'} results per topic" for each in (first, task)]
            raise UsageError(f"tasks of different depths: {', '.join(words)}; give -M, or evaluate them separately")
    return None if first is None else first.limit


def with_token_measures(plan: Plan) -> Plan:
    """The plan of the task chunks with its measures of characters read in tokens too, of runs that count tokens."""
    pairs = {instance.label: (instance, setting) for instance, setting in plan.pairs}
    if "chunks" not in plan.tasks or "char_rec_at_size" not in pairs:
        return plan
    from prum_eval.evaluation.results import with_curve_levels
    from prum_eval.measures.registry import MEASURES_BY_NAME

    size, setting = pairs["char_rec_at_size"]
    more = []
    for name, cutoffs in (("tokens", (5.0,)), ("char_rec_at_tokens", (125.0, 250.0, 500.0, 1000.0, 2000.0))):
        values = size.values if name == "char_rec_at_tokens" else {}
        instance = replace(
            size, measure=MEASURES_BY_NAME[name], cutoffs=cutoffs, label=name, values=values, explicit=False
        )
        if name in pairs:  # with the budget that the user named, which every run must have then
            old = pairs[name][0]
            instance = replace(instance, cutoffs=tuple(sorted({*cutoffs, *old.cutoffs})), explicit=old.explicit)
        more.append(instance)
    names = dict.fromkeys([*plan.names, *(name for instance in more for name in instance.names)])
    requested = dict.fromkeys([*plan.requested_names, *names])
    if len(size.cutoffs) > len(size.measure.cutoffs):
        more = with_curve_levels(more)
    kept = [pair for pair in plan.pairs if pair[0].label not in {instance.label for instance in more}]
    new_pairs = [*kept, *((instance, setting) for instance in more)]
    return replace(plan, pairs=new_pairs, names=tuple(names), requested_names=tuple(requested))


def _first_score(specs: Sequence[str], measures: Sequence[ConfiguredMeasure]) -> str | None:
    """The first printed name of a score that the specifications ask for; None without specifications."""
    scores = [measure for measure in measures if is_divisible(measure.measure)]
    printed = [name for measure in scores for name in measure.names]
    canonical = [name for measure in scores for name in measure.canonical_names]
    for spec in (part for text in specs for part in split_specs(text)):
        if name := first_requested_name(spec, canonical):
            return printed[canonical.index(name)]
    return None


def _option_specs(options: EvaluationOptions) -> Sequence[str | MeasureSpec]:
    """The specifications of measures among the options."""
    specs = options.measures
    if isinstance(specs, tuple) and all(isinstance(spec, str) for spec in specs):  # as from the command line
        return specs
    return measure_list(specs)


def _navigates_from_passages(measure: ConfiguredMeasure) -> bool:
    """Whether its explicit user model navigates from the elements in a passage, in whatever document."""
    model = measure.requested_settings.get("user_model")
    return model is not None and Need.REACH in measure.needs and ModelNeed.GRAPH in find_user_model(model).needs


# Topics


def select_topics(selection: TopicsInput, topics: Collection[str], owner: str) -> tuple[frozenset[str], list[Notice]]:
    """The selected ones of some topics, and notices of names that are not among them.

    A text is a list with commas, each part a topic, else a range of whole numbers; a text that is none of it is a file.

    >>> select_topics("q1,3-5", ["1", "4", "05", "6", "q1"], "qrels")[0] == {"4", "05", "q1"}
    True

    Args:
        selection: the selection.
        topics: all topics.
        owner: what has these topics, for messages.

    Raises:
        InputError: the file cannot be read.
        DataError: none of the topics in the file is known.
        UsageError: a part of a list is no topic, no range with a topic in it and no file.
    """
    if isinstance(selection, PathLike) or (
        isinstance(selection, str) and (selection == "-" or os.path.isfile(selection))  # noqa: PTH113 - a list may be too long for a path
    ):
        return _topics_of_file(str(selection), topics, owner)
    names = _topics_of_list(selection, topics, owner) if isinstance(selection, str) else list(selection)
    unknown = [name for name in names if name not in topics]
    if unknown:
        raise UsageError(f"topics: {unknown[0]} is no topic of {owner}{did_you_mean(str(unknown[0]), topics)}")
    if not names:
        raise UsageError("topics: none is named")
    return frozenset(names), []


def _topics_of_list(text: str, topics: Collection[str], owner: str) -> list[str]:
    """The topics of a list with commas."""
    selected: list[str] = []
    for part in map(str.strip, text.split(",")):
        span = _RANGE.fullmatch(part)
        if part in topics:
            selected.append(part)
        elif span is None:
            hint = did_you_mean(part, topics)
            raise UsageError(f"topics: {part or text!r} is not a topic of {owner}, a range A-B or a file{hint}")
        else:
            low, high = int(span[1]), int(span[2])
            inside = [name for name in topics if name.isascii() and name.isdigit() and low <= int(name) <= high]
            if not inside:
                raise UsageError(f"topics: no topic of {owner} is in the range {part}")
            selected += inside
    return selected


def _topics_of_file(path: str, topics: Collection[str], owner: str) -> tuple[frozenset[str], list[Notice]]:
    """The known topics of a file, and a notice of the others."""
    names, file = dict.fromkeys(read_topics(path)), display_name(path)
    unknown = [name for name in names if name not in topics]
    if len(unknown) == len(names):
        raise DataError(f"{file}: no topic in common with {owner}")
    if not unknown:
        return frozenset(names), []
    more, verb = (", ...", "are") if len(unknown) > 1 else ("", "is")
    text = f"{file}: {plural(len(unknown), 'topic')} ({unknown[0]}{more}) {verb} not in {owner}"
    return frozenset(names.keys() - set(unknown)), [Notice(TOPICS, text)]


# Measures and their settings


def _pairs(
    inputs: Inputs, instances: Sequence[ConfiguredMeasure], set_keys: Collection[str], *, explicit_set: bool
) -> tuple[Pairs, list[Notice]]:
    """The measures with their settings, and notices of those of a set that are left out.

    `set_keys`: those of --set. `explicit_set`: the set was requested; else only omissions that an option remedies are
    noticed.

    Raises:
        UsageError: a parameter that is unknown or does not fit.
        DataError: a measure that was requested by name needs inputs that are missing.
        InputError: either of these, about a measure of a configuration file.
    """
    pairs: list[tuple[ConfiguredMeasure, Setting]] = []
    left_out: dict[MissingInput, dict[str, None]] = {}
    conflicts: dict[str, dict[str, None]] = {}
    used_keys: set[str] = set()
    for instance in instances:
        with nullcontext() if instance.source_line is None else errors_at(instance.source_line):
            missing = missing_input(instance, inputs)
            if missing and instance.explicit:
                raise DataError(missing.reason(instance.measure.name))
            if missing:
                left_out.setdefault(missing, {})[instance.measure.name] = None
                continue
            setting, keys = resolve_setting(instance, inputs)
            conflict = _item_conflict(instance, setting)
            if conflict and instance.explicit:
                raise UsageError(f"{conflict}; {instance.measure.name} needs one")
        if conflict:
            conflicts.setdefault(conflict, {})[instance.measure.name] = None
            continue
        pairs.append((instance, setting))
        used_keys |= keys
    if set_keys:
        check_set_keys([instance for instance, _ in pairs], used_keys, set_keys)
    if not pairs:
        raise DataError("no measure to compute")
    # A measure without needs takes the data of the others of its variant, so that none are made for it alone.
    settings = {instance.variant: setting for instance, setting in reversed(pairs)}
    settings |= {instance.variant: setting for instance, setting in reversed(pairs) if instance.needs}
    pairs = [(instance, setting if instance.needs else settings[instance.variant]) for instance, setting in pairs]
    texts = [missing.omission_text(names) for missing, names in left_out.items() if explicit_set or missing.remedy]
    texts += [f"{reason}; left out: {', '.join(names)}" for reason, names in conflicts.items()]
    notices = [*(Notice(LEFT_OUT, text) for text in texts), *_input_notices(inputs, pairs)]
    if any(instance.measure.name == PRECISION_OMEGA for instance, _ in pairs):
        source = "precision-omega of Smith and Troynikov"
        text = f"{PRECISION_OMEGA} is {source} only if every list holds all chunks of the corpus"
        notices.append(Notice(LISTED_ONLY, text))
    if inputs.assessments.has_facets:
        notices += _facet_notices(inputs, pairs)
    if any(Need.SPANS in instance.needs for instance, _ in pairs):
        from prum_eval.evaluation.notices import span_notices  # few calls have such measures

        notices += span_notices(inputs.assessments)
    return pairs, notices


def _facet_notices(inputs: Inputs, pairs: Pairs) -> Iterator[Notice]:
    """A notice of measures that know no facets.

    Raises:
        UsageError: a setting that facets exclude.
    """
    unaware: dict[str, None] = {}
    for instance, setting in pairs:
        measure, values = instance.measure, instance.values
        if Need.REACH in instance.needs and setting.targets is TargetKind.BEP:
            raise UsageError(f"{measure.name}: targets=bep has no facets: give other targets, or --facets ignore")
        for key, value in (("ideal_list", "greedy"), ("mode", "normal")):
            if measure.over_facets and values.get(key) == value:
                raise UsageError(f"{measure.name}: {key}={value} has no facets: leave it out, or give --facets ignore")
        if instance.needs and not measure.over_facets and not measure.is_count:
            unaware[measure.name] = None
    if unaware:
        names = ", ".join(unaware)
        yield Notice(FACETS, f"{inputs.assessments.path}: facets do not change {names}: targets or documents count")


def _input_notices(inputs: Inputs, pairs: Pairs) -> Iterator[Notice]:
    """Notices of the inputs."""
    if inputs.cache_note is not None:
        yield Notice(CACHE, inputs.cache_note)
    if inputs.assessments.kind is AssessmentKind.PASSAGES:
        from prum_eval.evaluation.notices import count_length_conflicts, passages_past_end  # passages only have some

        yield from spans_file_notices(inputs.assessments)
        path, hint = inputs.assessments.path, "; prum-eval check lists them"
        past = sum(1 for _ in passages_past_end(inputs.assessments))
        if past:
            what = f"{plural(past, 'assessed passage')} past the end of a document"
            yield Notice(PAST_END, f"{path}: {what}{hint}", count=past)
        conflicts = count_length_conflicts(inputs.assessments, inputs.trees, inputs.lengths)
        if conflicts:
            yield Notice(LENGTHS, f"{path}: {plural(conflicts, 'document')} of two lengths{hint}", count=conflicts)
    if inputs.structure is not None:
        if inputs.trees is not None and inputs.assessments.kind.has_sizes:
            conflicts = sum(1 for _ in size_conflicts(inputs.assessments, inputs.trees))
            if conflicts:
                what = f"{plural(conflicts, 'assessed element')} of another size than in the structure"
                text = f"{inputs.assessments.path}: {what}; prum-eval check lists them"
                yield Notice(LENGTHS, text, count=conflicts)
        return
    if any(_uses_mean_length(*pair) for pair in pairs) and inputs.mean_length is not None:
        length = f"L = {inputs.mean_length:.1f}"
        yield Notice(NO_STRUCTURE, f"no structure: the mean document length {length} is that of the judged documents")
    if inputs.assessments.kind not in (AssessmentKind.FLAT, AssessmentKind.PASSAGES):
        yield Notice(NO_STRUCTURE, "no structure: document trees come from the assessments and may be incomplete")


def _uses_mean_length(instance: ConfiguredMeasure, setting: Setting) -> bool:
    """Whether it uses the mean length of the documents, with no L in its place."""
    if Need.ENTRY_POINTS in instance.measure.needs:
        return "L" not in instance.values
    return ModelNeed.MEAN_LENGTH in setting.choice.model.needs and bool(setting.choice.input_parameters)


def _item_conflict(instance: ConfiguredMeasure, setting: Setting) -> str | None:
    """Why the ideal list of a measure has no effect with items; None if it has.

    Raises:
        UsageError: the greedy list is made of elements, and counts ranks.
    """
    ideal_list = instance.values.get("ideal_list")
    effort = instance.values.get("effort", "rank")
    if ideal_list == "greedy" and effort != "rank":
        raise UsageError(f"ideal_list=greedy and effort={effort} cannot be combined")
    if ideal_list is None or not joins_items(setting.choice.values):
        return None
    if ideal_list == "greedy":
        raise UsageError("ideal_list=greedy and items=article cannot be combined")
    if not may_skip_targets(setting.choice.values):
        return None
    return (
        "items=article with consider below 1 gives the ideal list no expected length: a target that is passed over is "
        "never seen"
    )


# Inputs that measures need


@dataclass(eq=False, repr=False)
class MissingInput:
    """Why measures cannot be computed from the inputs.

    `subject` is missing; `verb`: its verb in singular and plural. `remedy`: the options that would give it, if any.
    """

    subject: str
    remedy: str = ""
    verb: tuple[str, str] = ("needs", "need")

    def reason(self, name: str) -> str:
        """The reason why a measure cannot be computed."""
        return f"{name} {self.verb[0]} {self._subject_with_remedy}"

    def omission_text(self, names: Collection[str]) -> str:
        """The text of a notice of measures of a set that are left out."""
        return f"left out: {', '.join(names)}, which {self.verb[len(names) > 1]} {self._subject_with_remedy}"

    @property
    def _subject_with_remedy(self) -> str:
        return f"{self.subject}: give {self.remedy}" if self.remedy else self.subject


def missing_input(instance: ConfiguredMeasure, inputs: Inputs) -> MissingInput | None:
    """Why a measure cannot be computed from these inputs; None if it can."""
    needs, kind, path = instance.needs, inputs.assessments.kind, inputs.assessments.path
    if Need.GRADES in needs and kind is not AssessmentKind.FLAT:
        return MissingInput(f"graded documents; {path} judges {kind}")
    if Need.GAINS in needs and kind is AssessmentKind.PASSAGES:
        return MissingInput(f"judged documents or elements; {path} judges {kind}")
    if Need.SIZE in needs and inputs.collection_size is None:
        return MissingInput("the number of elements of the collection", f"{_STRUCTURE} or --collection-size")
    if Need.LENGTHS in needs and inputs.structure is None and not has_lengths(kind):
        return MissingInput(f"lengths, which assessments of {kind} do not give", _STRUCTURE)
    if Need.POSITIONS in needs and (missing := _missing_positions(inputs)) is not None:
        return missing
    if Need.DIMENSIONS in needs:
        return _missing_dimensions(instance, inputs)
    if instance.values.get("facets") == "declared" and not inputs.assessments.has_facets:
        return MissingInput(
            f"facets, which {path} does not declare", "--facets column, if its second column names them"
        )
    if Need.DIVERSITY in needs and kind is AssessmentKind.FLAT:
        return None
    if needs & {Need.PASSAGES, Need.SPANS, Need.DIVERSITY}:
        return _missing_passages(inputs, highlights=Need.PASSAGES not in needs)
    return _missing_entry_points(instance, inputs) if Need.ENTRY_POINTS in needs else None


def _missing_dimensions(instance: ConfiguredMeasure, inputs: Inputs) -> MissingInput | None:
    """Why exhaustivity and specificity of all results are unknown."""
    kind = inputs.assessments.kind
    name = instance.requested_settings.get("quantisation", DEFAULT_QUANTISATION)
    if combined_quantisation(DEFAULT_QUANTISATION, kind) is None:
        return MissingInput(f"exhaustivity and specificity; {inputs.assessments.path} judges {kind}")
    if inputs.structure is None:
        return MissingInput("the elements of all documents and their lengths", _STRUCTURE)
    if not instance.explicit and combined_quantisation(name, kind) is None:
        return MissingInput(f"no quantisation {name}", verb=("has", "have"))
    return None


def _missing_passages(inputs: Inputs, *, highlights: bool) -> MissingInput | None:
    """Why relevant characters are unknown, or with `highlights` the highlighted passages."""
    kind, path = inputs.assessments.kind, inputs.assessments.path
    if highlights and kind.has_sizes:
        topics = inputs.assessments.topics.values()
        if not any(isinstance(topic, ElementTopic) and topic.highlights for topic in topics):
            return MissingInput(f"highlighted passages; {path} has none")
    if kind is not AssessmentKind.PASSAGES and not kind.has_sizes:
        return MissingInput(f"assessments that count relevant characters; {path} judges {kind}")
    return _missing_positions(inputs)


def _missing_entry_points(instance: ConfiguredMeasure, inputs: Inputs) -> MissingInput | None:
    """Why best entry points and what is near to them are unknown."""
    if not inputs.has_entry_points:
        return MissingInput(f"best entry points; {inputs.assessments.path} has none")
    missing = _missing_positions(inputs)
    if missing is None and "L" not in instance.values and inputs.mean_length is None:
        return MissingInput("the mean document length", f"{_STRUCTURE} or set L")
    return missing


def _missing_positions(inputs: Inputs) -> MissingInput | None:
    kind = inputs.assessments.kind
    if kind is AssessmentKind.PASSAGES or inputs.structure is not None:
        return None
    return MissingInput(f"positions in the text, which assessments of {kind} do not give", _STRUCTURE)
