import { createHash } from 'node:crypto';
import { type ProfileFact, type PublishedProfileFact } from '@penstock/contracts';
import { canonical } from '@penstock/platform';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NUMERAL = /^\d{1,15}$/;
/** Hexadecimal digits of a double without loss. */
const CHECKED_DIGITS = 12;

/** A fact of a profile, as it was told. */
export interface ToldFact {
  readonly workspace: string;
  readonly number: number;
  readonly timeMs: number;
  readonly fact: ProfileFact;
  /** Names it: 128 bits as hexadecimal digits, the same when it is told again. */
  readonly name: string;
  /** The same for the same content. */
  readonly checksum: number;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const isId = (value: unknown): boolean => typeof value === 'string' && UUID.test(value);
const isOtherThan =
  (one: unknown) =>
  (value: unknown): boolean =>
    isId(value) && value !== one;
const isNumeral = (value: unknown): boolean => typeof value === 'string' && NUMERAL.test(value);
const areAll = (value: unknown, isFit: (element: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isFit);

const isFact = (fact: Partial<Record<string, unknown>> | null | undefined): boolean => {
  switch (fact?.['type']) {
    case 'ProfileCreated':
      return isId(fact['id']) && areAll(fact['identities'], isNumeral);
    case 'ProfileSplit':
      return isId(fact['kept']) && areAll(fact['created'], isOtherThan(fact['kept']));
    case 'ProfilesMerged':
      return isId(fact['survivor']) && areAll(fact['absorbed'], isOtherThan(fact['survivor']));
    case 'ProfileDeleted':
      return isId(fact['id']);
    default:
      return false;
  }
};

const isPublished = (value: unknown): value is PublishedProfileFact => {
  const fact = value as Partial<Record<keyof PublishedProfileFact, unknown>> | null;
  if (typeof fact !== 'object' || fact === null) return false;
  const { id, workspace, number, time } = fact;
  if (typeof id !== 'string' || typeof workspace !== 'string' || typeof time !== 'string')
    return false;
  // Parts of one fact have the number in common, and a number of their own after it.
  const name = `${workspace}:${String(number)}`;
  const isNamed =
    id === name || (id.startsWith(`${name}:`) && isNumeral(id.slice(name.length + 1)));
  const isTimed = !Number.isNaN(Date.parse(time));
  return (
    isNamed && isNumeral(number) && isTimed && isFact(fact.fact as Partial<Record<string, unknown>>)
  );
};

/** Name of a fact that is not in parts, or of the first part. */
export const nameOf = (workspace: string, number: number): string =>
  digest(`${workspace}:${String(number)}`).slice(0, 32);

/** @returns undefined for what no warehouse records. */
export const toldFact = (published: unknown): ToldFact | undefined => {
  if (!isPublished(published)) return undefined;
  const { id, workspace, number, time, fact } = published;
  return {
    ...{ workspace, number: Number(number), timeMs: Date.parse(time), fact },
    name: digest(id).slice(0, 32),
    checksum: Number.parseInt(digest(canonical(published)).slice(0, CHECKED_DIGITS), 16),
  };
};

/** The fact of a record of the topic; undefined where it is none. */
export const factOnTopic = (value: string | null): ToldFact | undefined => {
  try {
    return toldFact(JSON.parse(value ?? ''));
  } catch {
    return undefined;
  }
};
