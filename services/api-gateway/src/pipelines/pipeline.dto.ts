import type { PipelineInput } from '@penstock/contracts';
import type { JsonObject } from '@penstock/schema';
import { textOrNull } from '../http/json-text';
import { EXAMPLE_ID } from '../openapi/components/answer';
import {
  FILTER_EXAMPLE,
  SCHEMA_EXAMPLE,
  TRANSFORMATION_EXAMPLE,
} from '../openapi/components/notation';
import { Example } from '../openapi/schema/members';
import {
  AnObject,
  Characters,
  OneOf,
  Optional,
  OptionalOrNull,
  Text,
  IsBoolean,
} from '../validation/shape';
import { KindMembersDto, kindInputOf } from './kind-members.dto';

const DEFINITION = {
  name: 'Carts',
  enabled: true,
  filter: FILTER_EXAMPLE,
  transformation: TRANSFORMATION_EXAMPLE,
  outSchema: SCHEMA_EXAMPLE,
};

/**
 * Checks the shape only. The pipeline service, which knows the connection, checks which members there are, filter,
 * transformation and schemas.
 */
@Example(DEFINITION)
export class UpdatePipelineDto extends KindMembersDto {
  @Characters(1, 60) readonly name!: string;

  @Optional() @IsBoolean() readonly enabled?: boolean;

  @OptionalOrNull() @AnObject('Filter') readonly filter?: JsonObject | null;

  @OptionalOrNull() @AnObject('Transformation') readonly transformation?: JsonObject | null;

  @OptionalOrNull() @AnObject('Schema') readonly outSchema?: JsonObject | null;
}

@Example({
  ...DEFINITION,
  connection: EXAMPLE_ID,
  target: 'Event',
  eventType: 'send_add_to_cart',
})
export class CreatePipelineDto extends UpdatePipelineDto {
  @Text() readonly connection!: string;

  @OneOf('User', 'Event') readonly target!: 'User' | 'Event';

  @OptionalOrNull() @Characters(1, 100) readonly eventType?: string | null;
}

/** Converts a body for a command: the parts that the pipeline service checks as JSON text. */
export const inputOf = ({ name, enabled, ...body }: UpdatePipelineDto): PipelineInput => ({
  name,
  ...(enabled !== undefined && { enabled }),
  filter: textOrNull(body.filter),
  transformation: textOrNull(body.transformation),
  outSchema: textOrNull(body.outSchema),
  ...kindInputOf(body),
});
