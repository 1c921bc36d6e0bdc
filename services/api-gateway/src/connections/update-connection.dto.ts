import type { JsonObject } from '@penstock/schema';
import { Example } from '../openapi/members';
import { AnObject, Characters, Optional } from '../http/shape';

/** Shape only: what the settings may hold is the connector's to say. */
@Example({ name: 'Shop of Europe' })
export class UpdateConnectionDto {
  @Characters(1, 100) readonly name!: string;

  /** Absent: unchanged. */
  @Optional() @AnObject() readonly settings?: JsonObject;
}
