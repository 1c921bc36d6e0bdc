/** Of the text of one result, 32 times the largest event: above it a result is not even copied out of the guest. */
export const MAX_RESULT_LENGTH = 1024 * 1024;
