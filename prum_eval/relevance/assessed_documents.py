"""Assessments whose documents are called by their files, ``a.html``, where the structure says ``a``."""

from __future__ import annotations

import dataclasses
from collections.abc import Container

from prum_eval.records.assessments import Assessments, Topic
from prum_eval.text.document_names import FILE_ENDINGS, document_of


def named_as(assessments: Assessments, known: Container[str]) -> Assessments:
    """The assessments with the names of known documents, where they name their files.

    A document that is known by just the name in the assessments, or that the topic assesses under both names, keeps
    its name.
    """
    topics = {name: _topic(topic, known) for name, topic in assessments.topics.items()}
    if all(topics[name] is topic for name, topic in assessments.topics.items()):
        return assessments
    return dataclasses.replace(assessments, topics=topics)


def _topic(topic: Topic, known: Container[str]) -> Topic:
    if not any(name.endswith(FILE_ENDINGS) for name in topic.documents):
        return topic
    listed = set(topic.documents)

    def name_of(name: str) -> str:
        document = document_of(name)
        taken = document == name or document in listed
        return name if taken or name in known or document not in known else document

    names = tuple(map(name_of, topic.documents))
    return topic if names == topic.documents else dataclasses.replace(topic, documents=names)
