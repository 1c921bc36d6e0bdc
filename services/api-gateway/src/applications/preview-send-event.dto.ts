import type { JsonObject } from '@penstock/schema';
import { EVENT_EXAMPLE } from '../openapi/components/event';
import { Example } from '../openapi/schema/members';
import { AnObject, Characters, OptionalOrNull } from '../validation/shape';

/** Checks the shape only. The pipeline service, which knows the event type, checks the members. */
@Example({
  type: 'send_identity',
  event: EVENT_EXAMPLE,
})
export class PreviewSendEventDto {
  @Characters(1, 100) readonly type!: string;

  @AnObject('Event') readonly event!: JsonObject;

  @OptionalOrNull() @AnObject('PreviewTransformation') readonly transformation?: JsonObject | null;

  @OptionalOrNull() @AnObject('Schema') readonly outSchema?: JsonObject | null;
}
