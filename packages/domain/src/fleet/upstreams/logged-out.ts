/** Words of a server about a bot that has left it (Client.cpp:16286 of the official server). */
const LOGGED_OUT = /\blogged out\b/i;

export function saysLoggedOut(text: string): boolean {
  return LOGGED_OUT.test(text);
}
