import { Example } from '../openapi/schema/members';
import { Characters } from '../validation/shape';

/** No event is longer. */
const MAX_CHARACTERS = 32_768;

@Example({ userId: 'Ada' })
export class SuppressedUserDto {
  @Characters(1, MAX_CHARACTERS) readonly userId!: string;
}
