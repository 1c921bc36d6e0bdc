import type { Answer, OutgoingUser, UpsertResult } from '@penstock/connectors';
import { type RecordValue, type Schema, textOf } from '@penstock/schema';
import { ToldWords } from './told-words';

/** What an application has said, after the status of its answer if that says why. */
interface Said {
  readonly reason: string;
  readonly status?: number;
}

const UNTOLD = 'refused in words that may be values';

/** The texts of the values of a record, also within objects. */
const textsOf = (record: RecordValue, { properties }: Schema): readonly string[] =>
  properties.flatMap(({ name, type }) => {
    const value = record[name];
    if (value === undefined || value === null) return [];
    return type.kind === 'object' ? textsOf(value as RecordValue, type) : [textOf(type, value)];
  });

const wordsFor = (
  users: readonly OutgoingUser[],
  schema: Schema,
  names: ReadonlySet<string>,
): ToldWords => {
  const texts = users.flatMap(({ id, values }) => [id ?? '', ...textsOf(values, schema)]);
  return new ToldWords(texts, names);
};

const told = ({ reason, status }: Said, words: ToldWords): string => {
  const own = status === undefined ? '' : `answered ${String(status)}`;
  const text = words.tell(own !== '' && reason.startsWith(own) ? reason.slice(own.length) : reason);
  return [own, text].filter((part) => part !== '').join(': ') || UNTOLD;
};

/** Without an answer, the words are those of the connector. */
const withoutWords = <Failure extends Said>(failure: Failure, words: () => ToldWords): Failure =>
  failure.status === undefined ? failure : { ...failure, reason: told(failure, words()) };

/**
 * What an application answers, without the values of users that its reasons repeat.
 *
 * @param names of properties, which reasons may have.
 */
export const reasonWithoutUsers = (
  result: UpsertResult,
  users: readonly OutgoingUser[],
  schema: Schema,
  names: ReadonlySet<string>,
): UpsertResult => {
  if (result.kind !== 'answered')
    return withoutWords(result, () => wordsFor(users.slice(0, result.taken), schema, names));
  const outcomes = result.outcomes.map((outcome, index) => {
    if (outcome.kind === 'written') return outcome;
    const own = users.slice(index, index + 1);
    return { ...outcome, reason: told(outcome, wordsFor(own, schema, names)) };
  });
  return { kind: 'answered', outcomes };
};

/** What an application answers that was asked about values, without those that its reasons repeat. */
export const answerWithoutValues = <T>(
  answer: Answer<T>,
  values: readonly string[],
  names: ReadonlySet<string>,
): Answer<T> =>
  answer.kind === 'answered' ? answer : withoutWords(answer, () => new ToldWords(values, names));
