import { isDeepStrictEqual } from 'node:util';
import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import { isJsonObject, type JsonObject, pointer } from '@penstock/schema';
import { requestOf } from '../auth/caller';
import { malformed, readJson } from '../http/read-json';
import { type Answered, shaped, withBody } from './json-body';

/** A body, with the members of the answer to a GET that were sent back. */
export interface Replacement<T> {
  readonly body: T;
  /** Must equal the present values: see {@link checkUnchanged}. */
  readonly sentBack: JsonObject;
}

/** For descriptions of operations that accept a {@link ReplacingBody}. */
export const SENT_BACK =
  'Members of the answer to a GET may be sent back: those that cannot be changed must be as they are.';

const isOneOf =
  (names: readonly string[]) =>
  ([name]: readonly [string, unknown]) =>
    names.includes(name);

/** Injects the body of a PUT that may contain the answer to a GET. */
export const ReplacingBody = <T extends object>(
  shape: Type<T>,
  answered: Answered,
): ParameterDecorator =>
  withBody(
    { shape, isRequired: true, sentBack: answered },
    createParamDecorator((_: undefined, context: ExecutionContext): Replacement<T> => {
      const json = readJson(requestOf(context).content);
      if (json === undefined) throw malformed('', 'a body is required');
      if (!isJsonObject(json)) throw malformed('', 'must be an object');
      const { unchanged, ignored } = answered;
      const members = [...json];
      const isSentBack = isOneOf([...unchanged, ...ignored]);
      return {
        body: shaped(shape, new Map(members.filter((member) => !isSentBack(member)))),
        sentBack: new Map(members.filter(isOneOf(unchanged))),
      };
    })(),
  );

/** The present answer to a GET, and its version. */
export interface Present {
  readonly version: number;
  readonly json: JsonObject;
}

/**
 * Checks that members which were sent back have their present values.
 *
 * @param expectedVersion the version that the sender expects; undefined: any.
 * @throws Refusal Conflict when the version is another one; BadRequest naming every member whose value differs.
 */
export const checkUnchanged = (
  sentBack: JsonObject,
  expectedVersion: number | undefined,
  present: () => Present,
): void => {
  if (sentBack.size === 0) return;
  const { version, json } = present();
  if (expectedVersion !== undefined && expectedVersion !== version) throw new Refusal('Conflict');
  const changed = [...sentBack].filter(
    ([name, value]) => !isDeepStrictEqual(value, json.get(name)),
  );
  if (changed.length === 0) return;
  const message = 'cannot be changed: must be as it is, or left out';
  throw new Refusal('BadRequest', {
    details: changed.map(([name]) => ({ path: pointer(name), message })),
  });
};
