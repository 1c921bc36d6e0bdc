import { noCursor } from '../read-model/no-cursor';

/** Where a list of users continues, within a page of the application. */
export interface UserPosition {
  /** The application's own cursor. */
  readonly page: string;
  /** Users of the page that were read before. */
  readonly offset: number;
}

export const FIRST_POSITION: UserPosition = { page: '', offset: 0 };

const CURSOR = /^(\d{1,9})\.([\w-]*)$/;

/** @throws Refusal BadRequest */
export const positionAt = (cursor: string): UserPosition => {
  if (cursor === '') return FIRST_POSITION;
  const [, offset = '', page = ''] = CURSOR.exec(cursor) ?? [];
  if (offset === '') throw noCursor();
  return { page: Buffer.from(page, 'base64url').toString(), offset: Number(offset) };
};

/** @param position `null` after the last user. */
export const cursorOf = (position: UserPosition | null): string =>
  position === null
    ? ''
    : `${String(position.offset)}.${Buffer.from(position.page).toString('base64url')}`;
