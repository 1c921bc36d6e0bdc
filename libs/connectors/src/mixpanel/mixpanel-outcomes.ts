import { isJsonArray, isJsonObject, JsonNumber, type JsonObject } from '@penstock/schema';
import { readOptionalNumber, readOptionalText } from '@penstock/settings';
import { excerpt } from '../answers/excerpt';
import { readAnswer } from '../answers/read-answer';
import type { Outcome } from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';

/**
 * How the records fared. With `strict` the vendor takes the good records of a request, and answers 400 that names
 * the others by their index; `/engage` answers 200 also where it took none, with the status 0.
 *
 * @param general outcome by the status.
 */
export const mixpanelOutcomes = (
  { status, body }: IncomingResponse,
  general: Outcome,
  count: number,
  secrets: readonly string[],
): Outcome | readonly Outcome[] => {
  if (general.kind !== 'delivered' && status !== 400) return general;
  const answer = readAnswer(body);
  const failed = failedRecords(answer, count);
  const rejected = (reason: string): Outcome => ({
    kind: 'rejected',
    reason: `answered ${String(status)}: ${excerpt(reason, secrets)}`,
    status,
  });
  if (failed.size > 0)
    return Array.from({ length: count }, (_, index) => {
      const reason = failed.get(index);
      return reason === undefined ? { kind: 'delivered' } : rejected(reason);
    });
  return general.kind === 'delivered' && isNothing(answer, body)
    ? rejected(readOptionalText(answer, 'error') ?? 'no record was valid')
    : general;
};

/** What is wrong with each failed record, by its index in the request. */
const failedRecords = (answer: JsonObject, count: number): ReadonlyMap<number, string> => {
  const failed = new Map<number, string>();
  const records = answer.get('failed_records');
  for (const record of isJsonArray(records) ? records.filter(isJsonObject) : []) {
    const index = readOptionalNumber(record, 'index');
    const message = readOptionalText(record, 'message') ?? 'failed validation';
    if (index !== undefined && index < count) failed.set(index, message);
  }
  return failed;
};

/** The status 0, alone or as a member. */
const isNothing = (answer: JsonObject, body: string): boolean => {
  const status = answer.get('status');
  return body.trim() === '0' || (status instanceof JsonNumber && status.text === '0');
};
