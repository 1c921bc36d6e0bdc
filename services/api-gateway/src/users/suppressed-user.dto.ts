import { Characters } from '../http/shape';

/** No event is longer. */
const MAX_CHARACTERS = 32_768;

export class SuppressedUserDto {
  @Characters(1, MAX_CHARACTERS) readonly userId!: string;
}
