import { codePointLength } from '@penstock/schema';
import type { Form } from './form';

/** Rules for a text of the settings. */
export interface TextRules {
  /** Characters; default 1. */
  readonly minLength?: number;
  /** Characters. */
  readonly maxLength: number;
  readonly secret?: boolean;
  /** @returns the message for a text of valid length that is wrong; undefined when it is valid. */
  readonly problem?: (text: string) => string | undefined;
}

/** NUL and lone surrogates, which PostgreSQL cannot store. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/** A text of a limited length, which may be a secret. */
export const text = ({ minLength = 1, maxLength, secret = false, problem }: TextRules): Form => ({
  type: { kind: 'string', ...(minLength === 0 ? {} : { minLength }), maxLength },
  secret,
  check: (json, path, issues) => {
    const message = typeof json === 'string' ? wrong(json) : 'must be a string';
    if (message !== undefined) issues.push({ path, message });
    return json;

    function wrong(given: string): string | undefined {
      const length = codePointLength(given);
      if (length < minLength || length > maxLength)
        return `must be ${String(minLength)} to ${String(maxLength)} characters long`;
      if (UNSTORABLE.test(given)) return 'must not hold NUL or half of a surrogate pair';
      return problem?.(given);
    }
  },
  mapSecrets: (json, change) => (secret && typeof json === 'string' ? change(json) : json),
});

/** One of a few words. */
export const word = (...values: readonly string[]): Form => ({
  type: { kind: 'string', values },
  secret: false,
  check: (json, path, issues) => {
    if (typeof json !== 'string' || !values.includes(json))
      issues.push({ path, message: `must be one of ${values.join(', ')}` });
    return json;
  },
  mapSecrets: (json) => json,
});
