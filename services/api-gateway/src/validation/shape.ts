import { codePointLength, JsonNumber } from '@penstock/schema';
import {
  ArrayMaxSize,
  buildMessage,
  IsArray,
  IsBoolean as IsTrueOrFalse,
  IsIn,
  IsInstance,
  IsOptional,
  Matches,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { instantIn } from '../http/rfc-3339';
import {
  ANY_OBJECT,
  arrayOf,
  closedObject,
  FLAG,
  type JsonSchema,
  oneOf,
  ref,
  TIME,
} from '../openapi/schema/json-schema';
import { declareMember } from '../openapi/schema/members';

/** Joins checks of a member with its description in the API's document, so that the two always agree. */
const member =
  (schema: JsonSchema, ...checks: readonly PropertyDecorator[]): PropertyDecorator =>
  (prototype, name) => {
    for (const check of checks) check(prototype, name);
    declareMember(prototype, String(name), { schema });
  };

/** A check that class-validator does not have. */
const by = (
  name: string,
  message: string,
  validate: (value: unknown) => boolean,
): PropertyDecorator =>
  ValidateBy({ name, validator: { validate, defaultMessage: buildMessage(() => message) } });

/** No NUL and no lone surrogate: no text of the API may contain them. */
const CLEAN = /^[^\0\ud800-\udfff]*$/u;

/** Whether it is a text that the API takes. */
export const isCleanText = (value: unknown): value is string =>
  typeof value === 'string' && CLEAN.test(value);

const CLEAN_TEXT: JsonSchema = { type: 'string', pattern: '^[^\\u0000]*$' };

/** Requires a string with this number of Unicode characters. */
export const Characters = (min: number, max: number): PropertyDecorator =>
  member(
    { ...CLEAN_TEXT, minLength: min, maxLength: max },
    by('characters', `must be a string of ${min} to ${max} characters, without NUL`, (value) => {
      if (!isCleanText(value)) return false;
      const length = codePointLength(value);
      return length >= min && length <= max;
    }),
  );

/** Requires a string of this form and number of Unicode characters. @param message says what is wrong with any other. */
export const Matching = (
  pattern: RegExp,
  [minLength, maxLength]: readonly [number, number],
  message: string,
): PropertyDecorator =>
  member(
    { type: 'string', minLength, maxLength, pattern: pattern.source },
    by(
      'matching',
      `must be ${String(minLength)} to ${String(maxLength)} characters long: ${message}`,
      (value) => {
        if (!isCleanText(value)) return false;
        const length = codePointLength(value);
        return length >= minLength && length <= maxLength && pattern.test(value);
      },
    ),
  );

export const Text = (): PropertyDecorator =>
  member(CLEAN_TEXT, Matches(CLEAN, { message: 'must be a string' }));

export const Texts = (max?: number): PropertyDecorator => {
  const most = max === undefined ? '' : `at most ${String(max)} `;
  const message = `must be an array of ${most}strings`;
  return member(
    { ...arrayOf(CLEAN_TEXT), ...(max !== undefined && { maxItems: max }) },
    IsArray({ message }),
    ArrayMaxSize(max ?? Infinity, { message }),
    Matches(CLEAN, { each: true, message }),
  );
};

/** Requires an RFC 3339 time with a zone. */
export const Time = (): PropertyDecorator =>
  member(
    TIME,
    by(
      'time',
      'must be an RFC 3339 time, such as 2026-03-01T09:30:00Z',
      (value) => typeof value === 'string' && instantIn(value) !== undefined,
    ),
  );

/** Checks for an integer as JSON Schema defines it: by its value, so that `60.0` and `6e1` are integers too. */
const hasIntegerValue = ({ text }: JsonNumber): boolean =>
  /^-?\d+$/.test(text) || Number.isInteger(Number(text));

/** Requires an integer in any notation, between the bounds (inclusive). */
export const IsInteger = (minimum: number, maximum = Infinity): PropertyDecorator => {
  const isBounded = maximum < Infinity;
  const upTo = isBounded ? `from ${String(minimum)} to ${String(maximum)}` : '';
  const message = `must be an integer ${upTo || `of ${String(minimum)} or more`}`;
  return member(
    { type: 'integer', minimum, ...(isBounded && { maximum }) },
    by('isInteger', message, (value) => {
      if (!(value instanceof JsonNumber) || !hasIntegerValue(value)) return false;
      return Number(value.text) >= minimum && Number(value.text) <= maximum;
    }),
  );
};

export const IsBoolean = (): PropertyDecorator =>
  member(FLAG, IsTrueOrFalse({ message: 'must be a boolean' }));

export const OneOf = (...options: readonly string[]): PropertyDecorator =>
  member(
    oneOf(options),
    IsIn(options, { message: `must be ${options.map((each) => each || 'empty').join(' or ')}` }),
  );

/**
 * Requires an object; its members are not checked here.
 *
 * @param within schema of the object for the document: a component's name, or a schema.
 */
export const AnObject = (within: string | JsonSchema = ANY_OBJECT): PropertyDecorator =>
  member(
    typeof within === 'string' ? ref(within) : within,
    IsInstance(Map, { message: 'must be an object' }),
  );

/** Requires an object of texts: all of these, and no others. @param max Unicode characters of each */
export const TextsByName = (names: readonly string[], max: number): PropertyDecorator => {
  const text = { ...CLEAN_TEXT, minLength: 1, maxLength: max };
  const isText = (value: unknown): boolean =>
    typeof value === 'string' && CLEAN.test(value) && value !== '' && codePointLength(value) <= max;
  return member(
    closedObject(Object.fromEntries(names.map((name) => [name, text]))),
    by(
      'textsByName',
      `must be an object of ${names.join(' and ')}, each a string of 1 to ${String(max)} characters`,
      (value) =>
        value instanceof Map &&
        value.size === names.length &&
        names.every((name) => isText(value.get(name))),
    ),
  );
};

/** Allows the member to be absent, but not `null`. */
export const Optional = (): PropertyDecorator =>
  leftOut(
    ValidateIf((_, value) => value !== undefined),
    { isOptional: true },
  );

/** Allows the member to be `null`, but not absent. */
export const OrNull = (): PropertyDecorator =>
  leftOut(
    ValidateIf((_, value) => value !== null),
    { isNullable: true },
  );

/** Allows the member to be absent or `null`. */
export const OptionalOrNull = (): PropertyDecorator =>
  leftOut(IsOptional(), { isOptional: true, isNullable: true });

/** Skips all checks of a member that is left out in this way. */
const leftOut =
  (skip: PropertyDecorator, description: Parameters<typeof declareMember>[2]): PropertyDecorator =>
  (prototype, name) => {
    skip(prototype, name);
    declareMember(prototype, String(name), description);
  };
