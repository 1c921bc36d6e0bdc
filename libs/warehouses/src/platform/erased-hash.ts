import type { ErasedRecord } from './eraser';

/** What a record is known by once it was erased. Stored for ever: a change of the text would bring people back. */
export const erasedHash = (
  keyedHash: (text: string) => string,
  { connection, anonymous, recordId }: ErasedRecord,
): string => keyedHash(`erased\0${connection}\0${anonymous ? 'anonymous' : 'known'}\0${recordId}`);
