import { WarehouseFault } from '@penstock/warehouses';

/** A read that is kept out finds the mode that does it, or that this has changed meanwhile. */
export const againWhenFenced = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WarehouseFault && error.kind === 'fenced') return read();
    throw error;
  }
};
