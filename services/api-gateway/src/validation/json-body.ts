import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import { isJsonObject, type Issue, type Json, pointer } from '@penstock/schema';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { requestOf } from '../auth/caller';
import { malformed, readJson } from '../http/read-json';

/**
 * The body of the request as an instance of the class, its shape checked. Members hold what the JSON holds, objects
 * as `JsonObject`: their numbers keep every digit.
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

/** The same where no body is as good as `{}`. */
export const OptionalJsonBody = <T extends object>(shape: Type<T>): ParameterDecorator =>
  withBody(
    { shape, isRequired: false },
    createParamDecorator((_: undefined, context: ExecutionContext): T =>
      shaped(shape, readJson(requestOf(context).content) ?? new Map()),
    )(),
  );

/** What body a handler takes. */
export interface Body {
  readonly shape: Type<object>;
  readonly isRequired: boolean;
  /** What it may have beside the members of the shape; absent: nothing. */
  readonly sentBack?: Answered;
}

/** Members of the answer to a GET that the shape of a PUT does not have, but that may be sent back with it. */
export interface Answered {
  /** By which the API's document names the answer. */
  readonly component: string;
  /** Must be what they are. */
  readonly unchanged: readonly string[];
  /** May be anything: they change by themselves. */
  readonly ignored: readonly string[];
}

const BODY = 'penstock:body';

/** The decorator, which also lets {@link bodyOf} know. */
export const withBody =
  (body: Body, decorate: ParameterDecorator): ParameterDecorator =>
  (prototype, method, index) => {
    Reflect.defineMetadata(BODY, body, prototype, method ?? '');
    decorate(prototype, method, index);
  };

/** @returns undefined for a handler that takes none. */
export const bodyOf = (prototype: object, method: string): Body | undefined =>
  Reflect.getMetadata(BODY, prototype, method) as Body | undefined;

/**
 * @param at JSON pointer of the object in the body.
 * @throws Refusal BadRequest naming every member that is unknown, missing or not of its shape.
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
  message: value === undefined ? 'is required' : Object.values(constraints ?? {}).join(', '),
});
