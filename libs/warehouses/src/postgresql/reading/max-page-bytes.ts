/** Bytes of the values of a page, but for its first row. An answer of the API has no room for more. */
export const MAX_PAGE_BYTES = 700_000;
