import { Example } from '../openapi/schema/members';
import { Characters } from '../validation/shape';

/** The maximal size of an event, which limits its user id. */
const MAX_CHARACTERS = 32_768;

@Example({ userId: 'Ada' })
export class SuppressedUserDto {
  @Characters(1, MAX_CHARACTERS) readonly userId!: string;
}
