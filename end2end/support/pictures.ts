// Specs that make the pictures of the documents. They run on request, since they write files.
import { test } from './test';

/** Skips what follows in a file or a group, and prints the reason, unless UPDATE_PICTURES=1 asks for pictures. */
export function onRequest(file: string): void {
    const wanted = process.env.UPDATE_PICTURES === '1';
    const reason = `${file} makes pictures, with UPDATE_PICTURES=1`;
    if (!wanted) console.log(`skipped: ${reason}`);
    test.skip(!wanted, reason);
}
