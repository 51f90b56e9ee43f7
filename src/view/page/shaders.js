"use strict";
// The programs of the 3-D view. Spheres are squares that face the eye, on which every pixel finds its point of the
// sphere; normals for the ambient occlusion are kept in the alpha channels of the two colors.

const shaders = {};

shaders.light = `
uniform highp sampler2DShadow shadowMap;
uniform mat4 toLight;
uniform vec3 lightDirection; // in the coordinates of the eye
uniform mat4 fromEye;
layout(location = 0) out vec4 direct;
layout(location = 1) out vec4 ambient;

float lit(vec3 point, vec3 normal) {
  vec4 world = fromEye * vec4(point + normal * bias, 1.0);
  vec3 place = (toLight * world).xyz * 0.5 + 0.5;
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 shift = vec2(float(i & 1) - 0.5, float(i >> 1) - 0.5) / 2048.0;
    sum += texture(shadowMap, vec3(place.xy + shift, place.z - 0.0008));
  }
  return sum * 0.25;
}

void shade(vec3 point, vec3 normal, vec3 color, float gloss) {
  vec3 albedo = pow(color, vec3(2.2)), toEye = normalize(-point);
  vec3 up = vec3(upInEye);
  float sun = max(dot(normal, lightDirection), 0.0) * lit(point, normal);
  float rim = pow(1.0 - max(dot(normal, toEye), 0.0), 3.0);
  float shine = gloss * pow(max(dot(normal, normalize(lightDirection + toEye)), 0.0), 40.0) * sun;
  vec3 sky = mix(vec3(0.26, 0.23, 0.21), vec3(0.50, 0.58, 0.70), 0.5 + 0.5 * dot(normal, up));
  direct = vec4(sqrt(albedo * sun * vec3(1.0, 0.95, 0.87) * 0.62 + shine * 0.08), 0.5 + 0.5 * normal.x);
  ambient = vec4(sqrt((albedo + 0.35 * rim * vec3(0.10, 0.13, 0.17)) * sky * 0.62), 0.5 + 0.5 * normal.y);
}
`;

shaders.sphereVertex = `#version 300 es
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 sphere; // center and radius
layout(location = 2) in vec3 color;
uniform mat4 toEye, project;
uniform bool flat_;
out vec3 center;
out float radius;
out vec3 paint;
out vec3 spot;
void main() {
  center = (toEye * vec4(sphere.xyz, 1.0)).xyz;
  radius = sphere.w;
  paint = color;
  if (flat_) {
    spot = center + vec3(corner * radius, 0.0);
  } else {
    // The cone that touches the sphere is wider than the sphere: so is the square, which faces the eye.
    vec3 axis = normalize(-center);
    vec3 right = normalize(cross(vec3(0.0, 1.0, 0.0), axis)), up = cross(axis, right);
    float d = length(center), wide = radius * d / sqrt(max(d * d - radius * radius, 1e-6 * d * d));
    spot = center + (right * corner.x + up * corner.y) * wide * 1.02;
  }
  gl_Position = radius > 0.0 ? project * vec4(spot, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

shaders.sphereFragment = `#version 300 es
precision highp float;
in vec3 center;
in float radius;
in vec3 paint;
in vec3 spot;
uniform mat4 project;
uniform vec3 upInEye;
uniform float bias;
${shaders.light}
void main() {
  vec3 ray = normalize(spot);
  float along = dot(ray, center), miss = along * along - dot(center, center) + radius * radius;
  if (miss < 0.0) discard;
  vec3 point = ray * (along - sqrt(miss)), normal = (point - center) / radius;
  vec4 clip = project * vec4(point, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
  shade(point, normal, paint, 1.0);
}`;

shaders.shadowFragment = `#version 300 es
precision highp float;
in vec3 center;
in float radius;
in vec3 paint;
in vec3 spot;
uniform mat4 project;
void main() {
  vec2 off = (spot.xy - center.xy) / radius;
  float inside = 1.0 - dot(off, off);
  if (inside < 0.0) discard;
  gl_FragDepth = 0.5 + 0.5 * (project * vec4(center.xy, center.z + radius * sqrt(inside), 1.0)).z;
}`;

// Depth alone.
shaders.nothingFragment = `#version 300 es
precision highp float;
void main() {}`;

shaders.wallVertex = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 middle;
layout(location = 3) in float solid; // 1: a thing that is never seen through
uniform mat4 toEye, project;
uniform vec3 eye, inside; // in the world: walls between the two are seen through
out vec3 spot;
out vec3 facing;
flat out float front;
void main() {
  spot = (toEye * vec4(place, 1.0)).xyz;
  facing = mat3(toEye) * normal;
  front = solid < 0.5 && dot(normal, eye - middle) * dot(normal, inside - middle) < 0.0 ? 1.0 : 0.0;
  gl_Position = project * vec4(spot, 1.0);
}`;

shaders.wallFragment = `#version 300 es
precision highp float;
in vec3 spot;
in vec3 facing;
flat in float front;
uniform vec3 upInEye;
uniform float bias;
uniform bool glass; // this pass draws the walls in front
${shaders.light}
void main() {
  if ((front > 0.5) != glass) discard;
  vec3 normal = normalize(facing);
  normal = dot(normal, spot) > 0.0 ? -normal : normal;
  shade(spot, normal, vec3(0.44, 0.46, 0.50), 0.0);
  if (glass) {
    direct.a = ambient.a = 0.10;
  }
}`;

shaders.screenVertex = `#version 300 es
layout(location = 0) in vec2 corner;
out vec2 at;
void main() {
  at = 0.5 + 0.5 * corner;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

// Ambient occlusion from the depths around a pixel (after McGuire et al. 2011), then tone and background.
shaders.screenFragment = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D directMap, ambientMap;
uniform highp sampler2D depthMap;
uniform mat4 project;
uniform vec2 pixels;
uniform float reach; // m
out vec4 color;

vec3 pointAt(vec2 uv, float depth) {
  float z = -project[3][2] / (2.0 * depth - 1.0 + project[2][2]);
  return vec3((2.0 * uv - 1.0) * -z / vec2(project[0][0], project[1][1]), z);
}

float occlusion(vec3 p, vec3 n) {
  float wide = reach * project[1][1] / -p.z * 0.5, sum = 0.0;
  float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  const int N = 20;
  for (int i = 0; i < N; i++) {
    float r = sqrt((float(i) + 0.5) / float(N)), a = turn + 2.3999632 * float(i);
    vec2 uv = at + wide * r * vec2(cos(a) * pixels.y / pixels.x, sin(a));
    float depth = texture(depthMap, uv).r;
    if (depth >= 1.0) continue;
    vec3 v = pointAt(uv, depth) - p;
    float d2 = dot(v, v), f = max(reach * reach - d2, 0.0) / (reach * reach);
    sum += f * max(dot(v, n) * inversesqrt(d2 + 1e-12) - 0.06, 0.0);
  }
  return clamp(1.0 - 2.9 * sum / float(N), 0.0, 1.0);
}

void main() {
  vec2 off = at - vec2(0.5, 0.55);
  vec3 back = mix(vec3(0.055, 0.064, 0.080), vec3(0.012, 0.014, 0.019), smoothstep(0.0, 0.75, length(off)));
  float depth = texture(depthMap, at).r;
  vec4 a = texture(directMap, at), b = texture(ambientMap, at);
  vec3 light = back;
  if (depth < 1.0) {
    vec2 nxy = 2.0 * vec2(a.a, b.a) - 1.0;
    vec3 n = vec3(nxy, sqrt(max(1.0 - dot(nxy, nxy), 0.0)));
    float open = occlusion(pointAt(at, depth), n);
    light = a.rgb * a.rgb * 2.3 * mix(0.45, 1.0, open) + b.rgb * b.rgb * open * open;
  } else if (a.r + a.g + a.b + b.r > 0.0) {
    light = back + 0.6 * (a.rgb * a.rgb + b.rgb * b.rgb); // glass before the background
  }
  light = light * (1.0 + light * 0.12) / (1.0 + light * 0.55) * 1.22;
  color = vec4(pow(light, vec3(1.0 / 2.2)), 1.0);
}`;
