import type { Scope } from '@penstock/contracts';
import { SCOPES } from '../auth/access';
import { Example } from '../openapi/schema/members';
import { Characters, OneOf, OptionalOrNull, Text, Time } from '../validation/shape';

@Example({ name: 'Reports', scope: 'read' })
export class CreateKeyDto {
  @Characters(1, 100) readonly name!: string;

  @OneOf(...SCOPES) readonly scope!: Scope;

  /** Absent or `null`: a key of the organization. */
  @OptionalOrNull() @Text() readonly workspace?: string | null;

  /** Absent or `null`: the key does not expire. */
  @OptionalOrNull() @Time() readonly expiresAt?: string | null;
}
