import type { JsonObject } from '@penstock/schema';
import { AnObject, Characters, OptionalOrNull } from '../http/shape';

/** Shape only. What the members hold is checked where the event type is known. */
export class PreviewSendEventDto {
  @Characters(1, 100) readonly type!: string;

  @AnObject() readonly event!: JsonObject;

  @OptionalOrNull() @AnObject() readonly transformation?: JsonObject | null;

  @OptionalOrNull() @AnObject() readonly outSchema?: JsonObject | null;
}
