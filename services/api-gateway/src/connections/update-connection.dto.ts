import type { JsonObject } from '@penstock/schema';
import { Example, schemaOf } from '../openapi/schema/members';
import { AnObject, Characters, Optional, OptionalOrNull } from '../validation/shape';
import { DeliveryDto } from './delivery.dto';

/** Shape only: what the settings may hold is the connector's to say. */
@Example({ name: 'Shop of Europe' })
export class UpdateConnectionDto {
  @Characters(1, 100) readonly name!: string;

  /** Absent: unchanged. */
  @Optional() @AnObject() readonly settings?: JsonObject;

  /** Absent: unchanged; null: the defaults again. An object replaces the present one as a whole. */
  @OptionalOrNull() @AnObject(schemaOf(DeliveryDto)) readonly delivery?: JsonObject | null;
}
