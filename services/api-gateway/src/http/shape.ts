import { codePointLength, isJsonArray, isJsonObject } from '@penstock/schema';
import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';
import { instantIn } from './rfc-3339';

const check = (name: string, message: string, validate: (value: unknown) => boolean) =>
  ValidateBy({ name, validator: { validate, defaultMessage: buildMessage(() => message) } });

/** NUL or a surrogate without its partner: no text of the API may hold them. */
const UNCLEAN = /[\0\ud800-\udfff]/u;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && !UNCLEAN.test(value);

/** A string of so many Unicode characters. */
export const Characters = (min: number, max: number): PropertyDecorator =>
  check('characters', `must be a string of ${min} to ${max} characters, without NUL`, (value) => {
    if (!isText(value)) return false;
    const length = codePointLength(value);
    return length >= min && length <= max;
  });

export const Text = (): PropertyDecorator =>
  check('text', 'must be a string', (value) => isText(value));

export const Texts = (): PropertyDecorator =>
  check(
    'texts',
    'must be an array of strings',
    (value) => isJsonArray(value as never) && (value as unknown[]).every(isText),
  );

/** RFC 3339, with a zone. */
export const Time = (): PropertyDecorator =>
  check(
    'time',
    'must be an RFC 3339 time, such as 2026-03-01T09:30:00Z',
    (value) => typeof value === 'string' && instantIn(value) !== undefined,
  );

export const TrueOrFalse = (): PropertyDecorator =>
  check('boolean', 'must be a boolean', (value) => typeof value === 'boolean');

export const OneOf = (...options: readonly string[]): PropertyDecorator =>
  check('oneOf', `must be ${options.join(' or ')}`, (value) => options.includes(value as string));

export const AnObject = (): PropertyDecorator =>
  check('object', 'must be an object', (value) => isJsonObject(value as never));

/** May be absent, not `null`. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** May be `null`, not absent. */
export const OrNull = (): PropertyDecorator => ValidateIf((_, value) => value !== null);

/** May be absent or `null`. */
export const OptionalOrNull = (): PropertyDecorator =>
  ValidateIf((_, value) => value !== undefined && value !== null);
