import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner } from '@nestjs/core';
import type { DeclaredRefusal, OperationName } from '@penstock/contracts';
import { type Needed, neededFor } from '../auth/access';
import { type Body, bodyOf } from '../validation/json-body';
import { type Description, DESCRIPTION, OPERATION, REFUSALS_OF, TAG } from './schema/describe';

/** One operation of the API, as its decorators declare it. */
export interface Operation {
  readonly name: string;
  /** Such as `/v1/pipelines/{id}`. */
  readonly path: string;
  readonly method: string;
  readonly tag: string;
  /** Undefined when it is not part of the document. */
  readonly description: Description | undefined;
  readonly refusals: readonly DeclaredRefusal[];
  readonly needed: Needed;
  readonly body: Body | undefined;
  /** Names of the declared operations that it performs. */
  readonly performs: readonly OperationName[];
}

type Handler = (...parameters: never[]) => unknown;

const decorated = <T>(name: string, of: object): T | undefined =>
  Reflect.getMetadata(name, of) as T | undefined;

const pathOf = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((step) => step !== '')
    .join('/')}`.replace(/:(\w+)/g, '{$1}');

const operationOf = (controller: Type<object>, name: string): Operation[] => {
  const prototype = controller.prototype as Record<string, Handler>;
  const handler = prototype[name];
  const verb = handler && decorated<RequestMethod>(METHOD_METADATA, handler);
  if (handler === undefined || verb === undefined) return [];
  const method = RequestMethod[verb];
  return [
    {
      name: `${controller.name}.${name}`,
      path: pathOf(
        decorated(PATH_METADATA, controller) ?? '',
        decorated(PATH_METADATA, handler) ?? '',
      ),
      method,
      tag: decorated(TAG, controller) ?? '',
      description: decorated(DESCRIPTION, handler),
      refusals: decorated(REFUSALS_OF, handler) ?? [],
      needed: neededFor(handler, controller, method),
      body: bodyOf(prototype, name),
      performs: decorated(OPERATION, handler) ?? [],
    },
  ];
};

/** Collects every route of the controllers, in their order. */
export const operationsOf = (controllers: readonly Type<object>[]): readonly Operation[] =>
  controllers.flatMap((controller) =>
    new MetadataScanner()
      .getAllMethodNames(controller.prototype as object)
      .flatMap((name) => operationOf(controller, name)),
  );
