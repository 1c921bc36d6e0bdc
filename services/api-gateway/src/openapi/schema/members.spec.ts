import 'reflect-metadata';
import {
  AnObject,
  Characters,
  OneOf,
  Optional,
  OptionalOrNull,
  OrNull,
  IsBoolean,
} from '../../validation/shape';
import { Example, schemaOf } from './members';

class Narrow {
  @Characters(1, 60) readonly name!: string;
}

@Example({ name: 'Ada', period: null })
class Wide extends Narrow {
  @OrNull() @OneOf('1h', '2h') readonly period!: string | null;

  @Optional() @IsBoolean() readonly enabled?: boolean;

  @OptionalOrNull() @AnObject('Filter') readonly filter?: object | null;
}

const NAME = { type: 'string', pattern: '^[^\\u0000]*$', minLength: 1, maxLength: 60 };

it('builds the schema of a body from the decorators that check its members', () => {
  expect(schemaOf(Wide)).toEqual({
    type: 'object',
    required: ['name', 'period'],
    properties: {
      name: NAME,
      period: { anyOf: [{ type: 'string', enum: ['1h', '2h'] }, { type: 'null' }] },
      enabled: { type: 'boolean' },
      filter: { anyOf: [{ $ref: '#/components/schemas/Filter' }, { type: 'null' }] },
    },
    additionalProperties: false,
    examples: [{ name: 'Ada', period: null }],
  });
});

it('does not change the base class', () => {
  expect(schemaOf(Narrow)).toEqual({
    type: 'object',
    required: ['name'],
    properties: { name: NAME },
    additionalProperties: false,
  });
});
