import { codePointLength, isJsonArray, isJsonObject } from '@penstock/schema';
import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';
import { instantIn } from '../http/rfc-3339';
import {
  ANY_OBJECT,
  arrayOf,
  FLAG,
  type JsonSchema,
  oneOf,
  ref,
  TIME,
} from '../openapi/schema/json-schema';
import { declareMember } from '../openapi/schema/members';

/** Creates a decorator that checks a member and describes it in the API's document, so that the two always agree. */
const check =
  (
    name: string,
    message: string,
    schema: JsonSchema,
    validate: (value: unknown) => boolean,
  ): PropertyDecorator =>
  (prototype, member) => {
    const validator = { validate, defaultMessage: buildMessage(() => message) };
    ValidateBy({ name, validator })(prototype, member);
    declareMember(prototype, String(member), { schema });
  };

/** NUL or a lone surrogate, which no text of the API may contain. */
const UNCLEAN = /[\0\ud800-\udfff]/u;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && !UNCLEAN.test(value);

const CLEAN_TEXT: JsonSchema = { type: 'string', pattern: '^[^\\u0000]*$' };

/** Requires a string with this number of Unicode characters. */
export const Characters = (min: number, max: number): PropertyDecorator =>
  check(
    'characters',
    `must be a string of ${min} to ${max} characters, without NUL`,
    { ...CLEAN_TEXT, minLength: min, maxLength: max },
    (value) => {
      if (!isText(value)) return false;
      const length = codePointLength(value);
      return length >= min && length <= max;
    },
  );

export const Text = (): PropertyDecorator =>
  check('text', 'must be a string', CLEAN_TEXT, (value) => isText(value));

export const Texts = (): PropertyDecorator =>
  check(
    'texts',
    'must be an array of strings',
    arrayOf(CLEAN_TEXT),
    (value) => isJsonArray(value as never) && (value as unknown[]).every(isText),
  );

/** Requires an RFC 3339 time with a zone. */
export const Time = (): PropertyDecorator =>
  check(
    'time',
    'must be an RFC 3339 time, such as 2026-03-01T09:30:00Z',
    TIME,
    (value) => typeof value === 'string' && instantIn(value) !== undefined,
  );

export const IsBoolean = (): PropertyDecorator =>
  check('boolean', 'must be a boolean', FLAG, (value) => typeof value === 'boolean');

export const OneOf = (...options: readonly string[]): PropertyDecorator =>
  check('oneOf', `must be ${options.join(' or ')}`, oneOf(options), (value) =>
    options.includes(value as string),
  );

/**
 * Requires an object; its members are not checked here.
 *
 * @param within schema of the object for the document: a component's name, or a schema.
 */
export const AnObject = (within: string | JsonSchema = ANY_OBJECT): PropertyDecorator =>
  check('object', 'must be an object', typeof within === 'string' ? ref(within) : within, (value) =>
    isJsonObject(value as never),
  );

/** Allows the member to be absent, but not `null`. */
export const Optional = (): PropertyDecorator =>
  unless((value) => value === undefined, { isOptional: true });

/** Allows the member to be `null`, but not absent. */
export const OrNull = (): PropertyDecorator =>
  unless((value) => value === null, { isNullable: true });

/** Allows the member to be absent or `null`. */
export const OptionalOrNull = (): PropertyDecorator =>
  unless((value) => value === undefined || value === null, { isOptional: true, isNullable: true });

/** Skips all checks of a member that is absent or `null` in this way. */
const unless =
  (
    isLeftOut: (value: unknown) => boolean,
    description: Parameters<typeof declareMember>[2],
  ): PropertyDecorator =>
  (prototype, member) => {
    ValidateIf((_, value) => !isLeftOut(value))(prototype, member);
    declareMember(prototype, String(member), description);
  };
