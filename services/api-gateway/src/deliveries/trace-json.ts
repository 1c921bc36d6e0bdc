import type {
  TracedAttempt,
  TracedEvent,
  TracedFilter,
  TracedPipeline,
  TracedTransformation,
  TraceKept,
  TraceView,
} from '@penstock/contracts';
import { type Json, JsonNumber, parseJson } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

const parsed = (text: string | null): Json => (text === null ? null : parseJson(text));

const integer = (value: number | null): Json => (value === null ? null : jsonInteger(value));

/** Routers of an earlier version do not say by whom it was accepted. */
const eventJson = (event: Omit<TracedEvent, 'acceptedBy'> & Partial<TracedEvent>): Json =>
  jsonObject({
    ...event,
    acceptedBy: event.acceptedBy ? jsonObject({ ...event.acceptedBy }) : null,
    event: parsed(event.event),
  });

const filterJson = ({ logical, conditions }: TracedFilter): Json =>
  jsonObject<keyof TracedFilter>({
    logical,
    conditions: conditions.map((condition) =>
      jsonObject({ ...condition, values: [...condition.values], seen: parsed(condition.seen) }),
    ),
  });

const transformationJson = (transformation: TracedTransformation): Json =>
  jsonObject({ ...transformation, output: parsed(transformation.output), isRecomputed: true });

const attemptJson = (attempt: TracedAttempt): Json =>
  jsonObject<keyof TracedAttempt>({
    ...attempt,
    attempt: jsonInteger(attempt.attempt),
    status: integer(attempt.status),
  });

const pipelineJson = (traced: TracedPipeline): Json =>
  jsonObject({
    ...traced,
    pipelineVersion: integer(traced.pipelineVersion),
    filter: traced.filter && filterJson(traced.filter),
    transformation: traced.transformation && transformationJson(traced.transformation),
    attemptCount: jsonInteger(traced.attemptCount),
    attempts: traced.attempts.map(attemptJson),
    omittedAttempts: jsonInteger(Math.max(0, traced.attemptCount - traced.attempts.length)),
  });

const keptJson = ({ messageIdHours, eventDays, outcomeDays, deadLetterDays }: TraceKept): Json =>
  jsonObject<keyof TraceKept>({
    messageIdHours: new JsonNumber(String(messageIdHours)),
    eventDays: new JsonNumber(String(eventDays)),
    outcomeDays: new JsonNumber(String(outcomeDays)),
    deadLetterDays: new JsonNumber(String(deadLetterDays)),
  });

/** A trace in answers; values have every digit of their numbers. */
export const traceJson = (view: TraceView): Json =>
  jsonObject<keyof TraceView>({
    event: eventJson(view.event),
    duplicates: view.duplicates.map((each) => jsonObject({ ...each })),
    others: view.others.map((each) => jsonObject({ ...each })),
    pipelines: view.pipelines.map(pipelineJson),
    isCut: view.isCut,
    unknown: [...view.unknown],
    kept: keptJson(view.kept),
    isMasked: view.isMasked,
  });
