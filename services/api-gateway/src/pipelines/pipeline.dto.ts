import type { JsonObject } from '@penstock/schema';
import {
  AnObject,
  Characters,
  OneOf,
  Optional,
  OptionalOrNull,
  Text,
  TrueOrFalse,
} from '../http/shape';

/** Shape only. What filter, transformation and schema hold is checked where the event type is known. */
export class UpdatePipelineDto {
  @Characters(1, 60) readonly name!: string;

  @Optional() @TrueOrFalse() readonly enabled?: boolean;

  @OptionalOrNull() @AnObject() readonly filter?: JsonObject | null;

  @OptionalOrNull() @AnObject() readonly transformation?: JsonObject | null;

  @OptionalOrNull() @AnObject() readonly outSchema?: JsonObject | null;
}

export class CreatePipelineDto extends UpdatePipelineDto {
  @Text() readonly connection!: string;

  @OneOf('User', 'Event') readonly target!: 'User' | 'Event';

  @Characters(1, 100) readonly eventType!: string;
}

export class SetPipelineStatusDto {
  @TrueOrFalse() readonly enabled!: boolean;
}
