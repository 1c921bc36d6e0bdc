import { OPERATIONS } from '@penstock/contracts';
import { MetadataScanner } from '@nestjs/core';
import { PATTERN_METADATA } from '@nestjs/microservices/constants';
import { CONTROLLERS } from '../pipeline-service.module';

const patternsOf = (prototype: object): string[] =>
  new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => (prototype as Record<string, object>)[name])
    .flatMap((method) =>
      method === undefined
        ? []
        : ((Reflect.getMetadata(PATTERN_METADATA, method) as string[] | undefined) ?? []),
    );

it('every operation that is declared is handled, once', () => {
  const handled = CONTROLLERS.flatMap(({ prototype }) => patternsOf(prototype));
  expect(handled.sort()).toEqual(Object.keys(OPERATIONS).sort());
});
