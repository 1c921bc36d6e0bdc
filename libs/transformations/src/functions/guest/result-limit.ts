/** Maximal length of one result's text, 32 times the largest event. A longer result is not copied out of the guest. */
export const MAX_RESULT_LENGTH = 1024 * 1024;
