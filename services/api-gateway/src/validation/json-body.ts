import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import { isJsonObject, type Issue, type Json, pointer } from '@penstock/schema';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { requestOf } from '../auth/caller';
import { malformed, readJson } from '../http/read-json';

/**
 * Injects the body of the request as an instance of the class, with its shape checked. Members hold parsed JSON,
 * objects as `JsonObject`: their numbers keep every digit.
 */
export const JsonBody = <T extends object>(shape: Type<T>): ParameterDecorator =>
  withBody(
    { shape, isRequired: true },
    createParamDecorator((_: undefined, context: ExecutionContext): T => {
      const json = readJson(requestOf(context).content);
      if (json === undefined) throw malformed('', 'a body is required');
      return shaped(shape, json);
    })(),
  );

/** Like {@link JsonBody}; a missing body counts as `{}`. */
export const OptionalJsonBody = <T extends object>(shape: Type<T>): ParameterDecorator =>
  withBody(
    { shape, isRequired: false },
    createParamDecorator((_: undefined, context: ExecutionContext): T =>
      shaped(shape, readJson(requestOf(context).content) ?? new Map()),
    )(),
  );

/** The body that a handler accepts. */
export interface Body {
  readonly shape: Type<object>;
  readonly isRequired: boolean;
  /** Further members that it accepts besides those of the shape; absent: none. */
  readonly sentBack?: Answered;
}

/** Members of the answer to a GET that are not in the shape of a PUT but may be sent back with it. */
export interface Answered {
  /** Name of the answer in the API's document. */
  readonly component: string;
  /** Must equal their present values. */
  readonly unchanged: readonly string[];
  /** May have any value: they change by themselves. */
  readonly ignored: readonly string[];
}

const BODY = 'penstock:body';

/** Decorates a parameter and stores its body for {@link bodyOf}. */
export const withBody =
  (body: Body, decorate: ParameterDecorator): ParameterDecorator =>
  (prototype, method, index) => {
    Reflect.defineMetadata(BODY, body, prototype, method ?? '');
    decorate(prototype, method, index);
  };

/** @returns undefined for a handler without a body. */
export const bodyOf = (prototype: object, method: string): Body | undefined =>
  Reflect.getMetadata(BODY, prototype, method) as Body | undefined;

/**
 * Creates an instance of the class from JSON, with its shape checked.
 *
 * @param at JSON pointer of the object in the body.
 * @throws Refusal BadRequest naming every member that is unknown, missing or of the wrong shape.
 */
export const shaped = <T extends object>(shape: Type<T>, json: Json, at = ''): T => {
  if (!isJsonObject(json)) throw malformed(at, 'must be an object');
  const members = membersOf(shape);
  const unknown = [...json.keys()].filter((name) => !members.has(name));
  const instance = new shape();
  for (const [name, value] of json)
    if (members.has(name)) Object.assign(instance, { [name]: value });
  const details = [
    ...unknown.map((name) => ({
      path: at + pointer(name),
      message: 'unknown property',
    })),
    ...validateSync(instance).map((error) => issueOf(error, at)),
  ];
  if (details.length > 0) throw new Refusal('BadRequest', { details });
  return instance;
};

const membersOf = (shape: Type<object>): ReadonlySet<string> =>
  new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(shape, '', false, false)
      .map(({ propertyName }) => propertyName),
  );

const issueOf = ({ property, value, constraints }: ValidationError, at: string): Issue => ({
  path: at + pointer(property),
  message:
    value === undefined ? 'is required' : [...new Set(Object.values(constraints ?? {}))].join(', '),
});
