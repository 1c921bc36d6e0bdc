import { hash } from 'node:crypto';

/** 16 bytes of a SHA-256, written as a UUID. */
export const hashUuid = (text: string): string => {
  const hex = hash('sha256', text, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};
