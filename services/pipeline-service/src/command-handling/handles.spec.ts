import { OPERATIONS } from '@penstock/contracts';
import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { MetadataScanner } from '@nestjs/core';
import { PATTERN_METADATA } from '@nestjs/microservices/constants';
import { FEATURES } from '../pipeline-service.module';

const patternsOf = (prototype: object): string[] =>
  new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => (prototype as Record<string, object>)[name])
    .flatMap((method) =>
      method === undefined
        ? []
        : ((Reflect.getMetadata(PATTERN_METADATA, method) as string[] | undefined) ?? []),
    );

it('every operation that is declared as answered by this service has one handler', () => {
  const controllers = FEATURES.flatMap(
    (feature) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, feature) as Type<object>[],
  );
  const handled = controllers.flatMap(({ prototype }) => patternsOf(prototype as object));
  const declared = Object.entries(OPERATIONS).filter(
    ([, { kind, answeredBy }]) => kind !== 'read' && answeredBy === 'pipeline-service',
  );
  expect(handled.sort()).toEqual(declared.map(([name]) => name).sort());
});
