import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@penstock/schema';
import { excerpt } from '../answers/excerpt';
import { readAnswer } from '../answers/read-answer';
import type { Outcome } from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import type { OutgoingUser, UserOutcome } from '../connector/user-destination';
import { hubspotErrorText } from './hubspot-error';

/**
 * How each contact of a request fared: by its trace id or its id among the results and the errors of the answer.
 *
 * @returns undefined when the request was refused as a whole, or the answer does not tell of every contact.
 */
export const hubspotOutcomes = (
  { body }: IncomingResponse,
  general: Outcome,
  users: readonly OutgoingUser[],
  secrets: readonly string[],
): readonly UserOutcome[] | undefined => {
  if (general.kind !== 'delivered')
    return general.kind === 'rejected' && users.length === 1 ? [general] : undefined;
  const answer = readAnswer(body);
  const results = objectsIn(answer.get('results'));
  if (results === undefined) return undefined;
  const written = new Map(results.flatMap((result) => namesOf(result).map((key) => [key, result])));
  const errors = objectsIn(answer.get('errors')) ?? [];
  const outcomes = users.flatMap((user): UserOutcome[] => {
    const result = written.get(user.idempotencyKey) ?? written.get(user.id ?? '');
    const id = result?.get('id');
    if (result !== undefined) return [{ kind: 'written', ...(typeof id === 'string' && { id }) }];
    const error =
      errors.find((each) => isOf(each, user)) ??
      (errors.length === 1 && results.length === users.length - 1 ? errors[0] : undefined);
    return error === undefined ? [] : [{ kind: 'rejected', reason: reasonOf(error, secrets) }];
  });
  return outcomes.length === users.length ? outcomes : undefined;
};

const objectsIn = (json: Json | undefined): readonly JsonObject[] | undefined =>
  json !== undefined && isJsonArray(json) ? json.filter(isJsonObject) : undefined;

const namesOf = (result: JsonObject): string[] =>
  [result.get('objectWriteTraceId'), result.get('id')].filter((each) => typeof each === 'string');

/** The context of an error names what it is about. */
const isOf = (error: JsonObject, { id, idempotencyKey }: OutgoingUser): boolean => {
  const context = error.get('context');
  if (!isJsonObject(context)) return false;
  const named = [...context.values()].flatMap((each) => (isJsonArray(each) ? each : [each]));
  return named.includes(idempotencyKey) || (id !== null && named.includes(id));
};

const reasonOf = (error: JsonObject, secrets: readonly string[]): string => {
  const text = excerpt(hubspotErrorText(error) ?? '', secrets);
  return text === '' ? 'refused without a reason' : text;
};
