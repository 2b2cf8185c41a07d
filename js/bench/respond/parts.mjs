export async function parts() {}
