/** Bytes of the values of a page, but for its first row. An answer of the API has no room for more. */
export const MAX_PAGE_BYTES = 700_000;

/** Bytes that a page or a part of a scan may have, but for one of a single row. */
export const MAX_SCANNED_BYTES = 4_194_304;

/** Rows of a part of a scan, where they are small. */
export const MANY_ROWS = 1_000;
